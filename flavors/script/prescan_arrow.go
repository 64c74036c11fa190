package script

import "fmt"

// An arrow function without braces goes on as far as its expression does: to a comma, a
// semicolon, or a line that can begin a statement. Until then each further arrow is inside
// of it.

// joiningWords go on with the expression in front of them, also on another line.
var joiningWords = map[string]bool{"in": true, "instanceof": true, "as": true, "satisfies": true, "extends": true, "is": true}

// arrow counts an arrow function.
func (s *scanner) arrow() {
	if s.top().arrows++; s.top().arrows > maxArrows {
		s.refuse(fmt.Sprintf("more than %d arrow functions are inside of each other", maxArrows), "give them braces and names")
	}
}

// arrowsEnded notes that the arrow functions of a level ended.
func (l *level) arrowsEnded() { l.arrows, l.angle = l.outer.arrows, false }
