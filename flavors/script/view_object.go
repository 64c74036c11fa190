package script

import "github.com/dop251/goja"

// objectView is a JSON object that behaves like a plain one (goja.DynamicObject).
// While it is not owned, members holds what the guest has touched, and the text is
// the truth for the rest; the first assignment or deletion makes it owned, and members
// is then the whole object, in order.
type objectView struct {
	doc     *document
	at      uint32
	object  *goja.Object
	owned   bool
	members []member
	gone    int               // deleted members still in the slice
	places  map[string]int    // name -> members; nil while there are few
	lookup  map[string]uint32 // name -> value node of a large, not owned object
}

// member is one property. at is its node in the text, 0 once it was assigned; value
// is nil until it was touched.
type member struct {
	name    string
	key     uint32
	at      uint32
	value   goja.Value
	deleted bool
}

// few is the number of members up to which a search is faster than a map.
const few = 12

// Get returns the property, or nil. The same object comes back every time.
func (v *objectView) Get(name string) goja.Value {
	if i := v.place(name); i >= 0 {
		return v.touch(i)
	}
	if v.owned {
		return nil
	}
	at := v.find(name)
	if at == 0 {
		return nil
	}
	v.append(member{name: name, at: at})
	return v.touch(len(v.members) - 1)
}

func (v *objectView) touch(i int) goja.Value {
	m := &v.members[i]
	if m.value == nil {
		m.value = v.doc.value(m.at)
	}
	return m.value
}

// Has says whether the property exists.
func (v *objectView) Has(name string) bool {
	return v.place(name) >= 0 || !v.owned && v.find(name) != 0
}

// Set assigns the property; a new one comes last.
func (v *objectView) Set(name string, value goja.Value) bool {
	v.own()
	if i := v.place(name); i >= 0 {
		v.members[i].value, v.members[i].at = value, 0
		return true
	}
	v.append(member{name: name, value: value})
	return true
}

// Delete removes the property if it is there.
func (v *objectView) Delete(name string) bool {
	if !v.Has(name) {
		return true
	}
	v.own()
	i := v.place(name)
	v.members[i] = member{deleted: true}
	v.gone++
	if v.places != nil {
		delete(v.places, name)
	}
	if v.gone > few && v.gone > len(v.members)/2 {
		v.compact()
	}
	return true
}

// Keys returns the names in document order, then in order of assignment. Names that
// look like integers keep their place, unlike those of a plain object.
func (v *objectView) Keys() []string {
	v.doc.in.spend(int64(v.size()) >> 2)
	if !v.owned {
		return v.names()
	}
	keys := make([]string, 0, len(v.members)-v.gone)
	for i := range v.members {
		if !v.members[i].deleted {
			keys = append(keys, v.members[i].name)
		}
	}
	return keys
}

func (v *objectView) size() int {
	if v.owned {
		return len(v.members)
	}
	return int(v.doc.index()[v.at].count)
}

// names lists the members of the text; of duplicates the first place counts.
func (v *objectView) names() []string {
	nodes := v.doc.index()
	n := &nodes[v.at]
	names := make([]string, 0, n.count)
	var seen map[string]bool
	if n.count > few {
		seen = make(map[string]bool, n.count)
	}
	for key := v.at + 1; key < n.next; key = nodes[key+1].next {
		name := v.doc.name(key)
		if seen == nil && !contains(names, name) || seen != nil && !seen[name] {
			names = append(names, name)
		}
		if seen != nil {
			seen[name] = true
		}
	}
	return names
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// place returns the index of a member that was touched or is owned, or -1.
func (v *objectView) place(name string) int {
	if v.places != nil {
		if i, ok := v.places[name]; ok {
			return i
		}
		return -1
	}
	for i := range v.members {
		if !v.members[i].deleted && v.members[i].name == name {
			return i
		}
	}
	return -1
}

func (v *objectView) append(m member) {
	v.members = append(v.members, m)
	if v.places != nil {
		v.places[m.name] = len(v.members) - 1
		return
	}
	if len(v.members) > few {
		v.mapPlaces()
	}
}

func (v *objectView) mapPlaces() {
	v.places = make(map[string]int, 2*len(v.members))
	for i := range v.members {
		if !v.members[i].deleted {
			v.places[v.members[i].name] = i
		}
	}
}

func (v *objectView) compact() {
	kept := v.members[:0]
	for _, m := range v.members {
		if !m.deleted {
			kept = append(kept, m)
		}
	}
	clear(v.members[len(kept):])
	v.members, v.gone = kept, 0
	if v.places != nil {
		v.mapPlaces()
	}
}

// find returns the value node of a name, through a map where the object is large.
func (v *objectView) find(name string) uint32 {
	if v.doc.index()[v.at].count <= 2*few {
		return v.doc.find(v.at, name)
	}
	if v.lookup == nil {
		v.buildLookup()
	}
	return v.lookup[name]
}

func (v *objectView) buildLookup() {
	nodes := v.doc.index()
	n := &nodes[v.at]
	v.doc.in.allocate(int64(n.count) * memberBytes)
	v.lookup = make(map[string]uint32, n.count)
	for key := v.at + 1; key < n.next; key = nodes[key+1].next {
		v.lookup[v.doc.name(key)] = key + 1
	}
}

// memberBytes is roughly what one member of an owned or looked-up object takes.
const memberBytes = 64

// own copies the structure of the text, not its values, so that it can change.
func (v *objectView) own() {
	if v.owned {
		return
	}
	nodes := v.doc.index()
	n := &nodes[v.at]
	v.doc.in.allocate(int64(n.count) * memberBytes)
	touched := v.members
	v.members, v.places, v.lookup, v.owned = make([]member, 0, n.count+2), nil, nil, true
	for key := v.at + 1; key < n.next; key = nodes[key+1].next {
		name := v.doc.name(key)
		if i := v.place(name); i >= 0 { // a duplicate: the first place, the last value
			v.members[i].key, v.members[i].at = key, key+1
			continue
		}
		v.append(member{name: name, key: key, at: key + 1})
	}
	for _, m := range touched {
		v.members[v.place(m.name)].value = m.value
	}
}
