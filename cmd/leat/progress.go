package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// reading is one look at a running pipeline, as the progress line shows it.
type reading struct {
	pipeline                               string
	read, committed, inFlight, deadLetters int64
	bytesRead, bytesTotal                  int64 // 0 where no source knows its size
	blocked                                string
}

const (
	liveEvery  = 200 * time.Millisecond // redraw on a terminal
	plainEvery = 5 * time.Second        // one line elsewhere
	barWidth   = 24
)

// progress shows what runs do until stopped: one redrawn line on a terminal, a plain line
// now and then elsewhere.
type progress struct {
	out      io.Writer
	live     bool
	width    func() int
	look     func() []reading
	started  time.Time
	previous []int64 // committed at the last look, by the place of the reading
	at       time.Time
	stop     chan struct{}
	over     chan struct{}
}

// startProgress begins to show; stop it with end. look is called from its goroutine.
func startProgress(s surroundings, look func() []reading) *progress {
	p := &progress{
		out: s.stderr, live: s.terminal, width: s.width, look: look,
		started: time.Now(), at: time.Now(),
		stop: make(chan struct{}), over: make(chan struct{}),
	}
	go p.loop()
	return p
}

// end erases the line and returns when nothing more will be written.
func (p *progress) end() {
	close(p.stop)
	<-p.over
}

func (p *progress) loop() {
	defer close(p.over)
	every := plainEvery
	if p.live {
		every = liveEvery
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			p.clear()
			return
		case now := <-ticker.C:
			p.show(now)
		}
	}
}

func (p *progress) clear() {
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

func (p *progress) show(now time.Time) {
	var parts []string
	readings := p.look()
	if p.previous == nil {
		p.previous = make([]int64, len(readings))
	}
	for i, r := range readings {
		rate := perSecond(r.committed-p.previous[i], now.Sub(p.at))
		p.previous[i] = r.committed
		parts = append(parts, progressLine(r, rate, now.Sub(p.started)))
	}
	p.at = now
	line := strings.Join(parts, "  |  ")
	if !p.live {
		fmt.Fprintln(p.out, line)
		return
	}
	fmt.Fprint(p.out, "\r\x1b[K"+clip(line, p.width()-1))
}

// progressLine renders one reading; rate is committed messages a second.
func progressLine(r reading, rate float64, elapsed time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s ", r.pipeline)
	if r.bytesTotal > 0 {
		share := min(float64(r.bytesRead)/float64(r.bytesTotal), 1)
		fmt.Fprintf(&b, "%s %3.0f%% ", bar(share), share*100)
		if eta, ok := remaining(share, elapsed); ok {
			fmt.Fprintf(&b, "ETA %s ", eta)
		}
	}
	fmt.Fprintf(&b, "%.0f/s  committed %d  in flight %d  dead letters %d", rate, r.committed, r.inFlight, r.deadLetters)
	if r.blocked != "" {
		b.WriteString("  blocked: " + r.blocked)
	}
	return b.String()
}

func bar(share float64) string {
	full := int(share * barWidth)
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", barWidth-full) + "]"
}

// remaining estimates the time to the end from the share done; not before there is
// something to estimate from.
func remaining(share float64, elapsed time.Duration) (time.Duration, bool) {
	if share < 0.01 || share >= 1 || elapsed < time.Second {
		return 0, false
	}
	left := time.Duration(float64(elapsed) * (1 - share) / share)
	return left.Round(time.Second), true
}

func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// clip cuts a line to a terminal's width, in runes.
func clip(line string, width int) string {
	runes := []rune(line)
	if width < 1 || len(runes) <= width {
		return line
	}
	return string(runes[:width])
}
