package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/engine/suite"
)

// plugin is one row of `leat plugins`.
type plugin struct {
	Kind   string        `json:"kind"` // source, transform, sink or codec
	Name   string        `json:"name"`
	Doc    string        `json:"doc"`
	Fields []pluginField `json:"fields,omitempty"`
}

type pluginField struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Doc      string   `json:"doc"`
	Required bool     `json:"required"`
	Default  any      `json:"default,omitempty"`
	Enum     []string `json:"enum,omitempty"`
}

func pluginsCommand(s surroundings) *cli.Command {
	command := verb(&cli.Command{
		Name:        "plugins",
		Usage:       "list sources, transforms, sinks and codecs",
		Description: "Examples:\n   leat plugins\n   leat plugins schema file",
		Subcommands: []*cli.Command{verb(&cli.Command{
			Name:        "schema",
			Usage:       "print every key of a plugin, or the JSON Schema of a kind of document",
			ArgsUsage:   "NAME|pipeline|suite|stage-suite",
			Description: "Examples:\n   leat plugins schema file --json\n   leat plugins schema pipeline > leat-pipeline.schema.json",
			Action: func(c *cli.Context) error {
				return pluginSchema(c, s)
			},
		})},
	})
	command.Action = func(c *cli.Context) error {
		if c.NArg() > 0 {
			return unknownVerb(command.Subcommands, c.Args().First())
		}
		return listPlugins(c, s, allPlugins())
	}
	return command
}

func listPlugins(c *cli.Context, s surroundings, all []plugin) error {
	if c.Bool("json") {
		return eachJSON(s, all)
	}
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	for _, p := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\n", p.Kind, p.Name, p.Doc)
	}
	return w.Flush()
}

func pluginSchema(c *cli.Context, s surroundings) error {
	if c.NArg() != 1 {
		return usagef("for example `leat plugins schema file`", "one plugin is wanted")
	}
	name := c.Args().First()
	if schema, ok := documentSchemas()[name]; ok {
		_, err := fmt.Fprintf(s.stdout, "%s\n", schema())
		return err
	}
	var found []plugin
	var names []string
	for _, p := range allPlugins() {
		names = append(names, p.Name)
		if p.Name == name {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		names = append(names, slices.Collect(maps.Keys(documentSchemas()))...)
		if near := document.Nearest(name, slices.Values(names)); near != "" {
			return usagef(fmt.Sprintf("did you mean %q?", near), "no plugin %q", name)
		}
		slices.Sort(names)
		return usagef("there are "+strings.Join(slices.Compact(names), ", "), "no plugin %q", name)
	}
	if c.Bool("json") {
		return eachJSON(s, found)
	}
	for _, p := range found {
		printSchema(s, p)
	}
	return nil
}

// documentSchemas are the JSON Schemas of the kinds of document, for editors.
func documentSchemas() map[string]func() []byte {
	return map[string]func() []byte{
		"pipeline": func() []byte { return pipeline.Schema(catalog()) },
		"suite":    suite.Schema, "stage-suite": suite.StageSchema,
	}
}

func printSchema(s surroundings, p plugin) {
	fmt.Fprintf(s.stdout, "%s %s: %s\n", p.Kind, p.Name, p.Doc)
	w := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	for _, f := range p.Fields {
		def := "optional"
		switch {
		case f.Required:
			def = "required"
		case f.Default != nil && f.Default != "":
			def = fmt.Sprintf("default %v", f.Default)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", f.Name, f.Type, def, f.Doc)
	}
	w.Flush()
}

// allPlugins is the catalog as rows, kinds in the order of the data's flow.
func allPlugins() []plugin {
	c := catalog()
	all := specRows("source", c.Sources)
	all = append(all, specRows("transform", pipeline.TransformSpecs(c))...)
	all = append(all, specRows("sink", c.Sinks)...)
	for _, name := range c.Codecs {
		all = append(all, plugin{Kind: "codec", Name: name, Doc: codecDocs[name]})
	}
	return all
}

var codecDocs = map[string]string{
	"json": "one JSON text per message, kept byte for byte where nobody touches it",
	"raw":  "any bytes",
}

func specRows(kind string, specs map[string]pipeline.Spec) []plugin {
	var rows []plugin
	for _, name := range slices.Sorted(maps.Keys(specs)) {
		row := plugin{Kind: kind, Name: name, Doc: specs[name].Doc}
		for _, f := range specs[name].Fields {
			row.Fields = append(row.Fields, pluginField{f.Name, string(f.Type), f.Doc, f.Required, pipeline.WrittenForm(f.Default, f.Type), f.Enum})
		}
		rows = append(rows, row)
	}
	return rows
}

// eachJSON prints one object a line.
func eachJSON[T any](s surroundings, rows []T) error {
	out := jsonTo(s.stdout)
	for _, row := range rows {
		if err := out.Encode(row); err != nil {
			return err
		}
	}
	return nil
}
