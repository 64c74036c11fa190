package topic

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/leat-run/leat/engine/causal"
)

// ParsePlace reads what causal.Coordinate's String writes, and nothing else.
func ParsePlace(text string) (at causal.Coordinate, err error) {
	channel, offset, _ := strings.Cut(text, "@")
	if at.Channel, err = causal.ParseChannel(channel); err != nil {
		return at, err
	}
	at.Offset, err = strconv.ParseInt(offset, 10, 64)
	if err != nil || at.Offset < 0 || at.String() != text {
		return at, fmt.Errorf("topic: %q is not a record's place", text)
	}
	return at, nil
}

// FormatClock writes a clock as text, for where a header does not reach.
func FormatClock(c causal.Clock) string { return base64.StdEncoding.EncodeToString(c.AppendTo(nil)) }

// ParseClock reads what FormatClock writes; "" is the empty clock.
func ParseClock(text string) (causal.Clock, error) {
	if text == "" {
		return causal.Clock{}, nil
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return causal.Clock{}, fmt.Errorf("topic: not a clock: %w", err)
	}
	return causal.DecodeClock(b)
}
