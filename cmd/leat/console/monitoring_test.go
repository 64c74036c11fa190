package console

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// expressions are the queries of the dashboard and the alerts, by where they stand.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	text, err := os.ReadFile("monitoring/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			ID      int
			Title   string
			Targets []struct{ Expr string }
			GridPos struct{ W, X int }
		}
		Templating struct {
			List []struct{ Name, Definition string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		for i, target := range p.Targets {
			all[p.Title+" "+string(rune('A'+i))] = target.Expr
		}
		if p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%s stands outside the grid", p.Title)
		}
	}
	for _, v := range board.Templating.List {
		all["variable "+v.Name] = v.Definition
	}
	rules, err := os.ReadFile("monitoring/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range strings.Split(string(rules), "- alert: ")[1:] {
		name, rest, _ := strings.Cut(rule, "\n")
		_, expr, ok := strings.Cut(rest, "expr:")
		if end := regexp.MustCompile(`\n        \w+:`).FindStringIndex(expr); ok && end != nil {
			all["alert "+name] = expr[:end[0]]
		}
		for _, want := range []string{"expr:", "severity:", "summary:", "description:"} {
			if !strings.Contains(rest, want) {
				t.Errorf("alert %s has no %s", name, want)
			}
		}
	}
	return all
}

var (
	metricName = regexp.MustCompile(`\bleat_\w+`)
	matchers   = regexp.MustCompile(`(leat_\w+)\{([^}]*)\}`)
	grouping   = regexp.MustCompile(`(?:by|on) \(([^)]*)\)`)
)

// instrumentOf finds the instrument of a series' name.
func instrumentOf(name string) *instrument {
	for _, i := range instruments {
		if i.name == name && i.kind != histogramKind {
			return i
		}
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if i.kind == histogramKind && i.name+suffix == name {
				return i
			}
		}
	}
	return nil
}

// Dashboard and alerts ask for instruments that exist, by labels that these have, take
// rates of counters and histograms alone, and leave no instrument out.
func TestDashboardAndAlertsMatchTheInstruments(t *testing.T) {
	used := map[string]bool{}
	for where, expr := range expressions(t) {
		names := metricName.FindAllString(expr, -1)
		if len(names) == 0 && where != "variable datasource" {
			t.Errorf("%s asks for nothing: %q", where, expr)
		}
		labels := []string{"instance", "le"}
		for _, name := range names {
			i := instrumentOf(name)
			if i == nil {
				t.Errorf("%s: there is no %s", where, name)
				continue
			}
			used[i.name] = true
			labels = append(labels, i.labels...)
			rated := regexp.MustCompile(`(rate|increase)\(` + name + `\b`).MatchString(expr)
			if i.kind.ToDTO().String() == "GAUGE" == rated && !strings.HasPrefix(where, "variable") {
				t.Errorf("%s: %s is a %s", where, name, i.kindName())
			}
		}
		for _, m := range matchers.FindAllStringSubmatch(expr, -1) {
			for _, matcher := range strings.Split(m[2], ",") {
				label := regexp.MustCompile(`^\w+`).FindString(strings.TrimSpace(matcher))
				if i := instrumentOf(m[1]); i != nil && !slices.Contains(i.labels, label) {
					t.Errorf("%s: %s has no label %q", where, m[1], label)
				}
			}
		}
		for _, g := range grouping.FindAllStringSubmatch(expr, -1) {
			for _, label := range strings.Split(g[1], ", ") {
				if !slices.Contains(labels, label) {
					t.Errorf("%s: nothing in it has a label %q", where, label)
				}
			}
		}
	}
	for _, i := range instruments {
		if !used[i.name] {
			t.Errorf("neither the dashboard nor an alert shows %s", i.name)
		}
	}
}
