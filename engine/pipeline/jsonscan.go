package pipeline

// A scanner that finds where JSON values end. It checks no more than it needs for that:
// payloads of codec json were checked when they were decoded.

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func trimSpace(text []byte) []byte {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

func skipSpace(text []byte) []byte {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	return text
}

// scanString returns the length of the JSON string at the start of text, or 0.
func scanString(text []byte) int {
	if len(text) == 0 || text[0] != '"' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// scanValue returns the length of the JSON value at the start of text, or 0.
func scanValue(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch text[0] {
	case '"':
		return scanString(text)
	case '{', '[':
		return scanNested(text)
	}
	for i, c := range text {
		if c == ',' || c == '}' || c == ']' || c == ':' || c == '"' || isSpace(c) {
			return i
		}
	}
	return len(text)
}

// scanNested returns the length of an object or list, or 0. It counts brackets and does not
// recurse.
func scanNested(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			n := scanString(text[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// eachMember calls do for every member of the object at the start of text. It returns what
// follows the object; false if the text is no object.
func eachMember(text []byte, do func(key, value []byte)) ([]byte, bool) {
	return eachItem(text, '{', '}', func(rest []byte) ([]byte, bool) {
		n := scanString(rest)
		if n == 0 {
			return nil, false
		}
		key := rest[:n]
		rest = skipSpace(rest[n:])
		if len(rest) == 0 || rest[0] != ':' {
			return nil, false
		}
		rest = skipSpace(rest[1:])
		n = scanValue(rest)
		if n == 0 {
			return nil, false
		}
		do(key, rest[:n])
		return rest[n:], true
	})
}

// eachElement calls do for every element of the list at the start of text.
func eachElement(text []byte, do func(element []byte)) ([]byte, bool) {
	return eachItem(text, '[', ']', func(rest []byte) ([]byte, bool) {
		n := scanValue(rest)
		if n == 0 {
			return nil, false
		}
		do(rest[:n])
		return rest[n:], true
	})
}

// eachItem walks over items between brackets, separated by commas; item takes one off.
func eachItem(text []byte, open, end byte, item func([]byte) ([]byte, bool)) ([]byte, bool) {
	if len(text) == 0 || text[0] != open {
		return nil, false
	}
	rest := skipSpace(text[1:])
	if len(rest) > 0 && rest[0] == end {
		return rest[1:], true
	}
	for {
		var ok bool
		if rest, ok = item(rest); !ok {
			return nil, false
		}
		rest = skipSpace(rest)
		switch {
		case len(rest) == 0:
			return nil, false
		case rest[0] == end:
			return rest[1:], true
		case rest[0] != ',':
			return nil, false
		}
		rest = skipSpace(rest[1:])
	}
}
