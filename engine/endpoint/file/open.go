package file

import (
	"context"
	"errors"
	"io/fs"
	"slices"
)

// Start keeps where the files end that are there, for start: end: what is written from then on is read,
// whatever becomes of this run.
func (s *Source) Start(ctx context.Context) ([]byte, error) {
	if !s.anew || s.start != startEnd {
		return nil, nil
	}
	defer s.read.Store(s.read.Load()) // Run reads it again
	for _, path := range s.first {
		at, err := s.endOf(ctx, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s.known = append(s.known, at)
	}
	s.await()
	return s.ledger.state()
}

func (s *Source) endOf(ctx context.Context, path string) (place, error) {
	st, err := openStream(ctx, path, s.limit, &s.read)
	if err != nil {
		return place{}, err
	}
	defer st.close()
	err = st.toEnd()
	return st.place, err
}

// open opens a file where an earlier run left it, or as a new one.
func (s *Source) open(ctx context.Context, path string) (*stream, error) {
	st, err := openStream(ctx, path, s.limit, &s.read)
	if err != nil {
		return nil, err
	}
	if st.misnamed() {
		s.log.Info("the content decides, not the name", "path", path, "gzip", st.gzip)
	}
	if st, err = s.place(ctx, st); err != nil {
		return nil, err
	}
	st.number = s.ledger.open(st.place)
	return st, nil
}

// place moves a stream to where it is to begin.
func (s *Source) place(ctx context.Context, st *stream) (*stream, error) {
	candidates := s.candidates(st)
	for _, known := range candidates {
		before := s.read.Load()
		resumed, err := st.resume(known)
		if err != nil {
			_ = st.close()
			return nil, err
		}
		if resumed {
			return st, nil
		}
		s.read.Store(before)
		path := st.Path
		_ = st.close()
		if st, err = openStream(ctx, path, s.limit, &s.read); err != nil {
			return nil, err
		}
	}
	if len(candidates) > 0 {
		s.log.Warn("the file is not what it was: it was replaced, truncated or rewritten, and is read from its beginning",
			"path", st.Path, "committed_offset", candidates[0].Offset)
		return st, nil
	}
	if s.start == startEnd {
		return st, st.toEnd()
	}
	return st, nil
}

// remember keeps where a file of this run was cut, one place for each file: it may be completed
// while it is followed.
func (s *Source) remember(cut place) {
	s.known = slices.DeleteFunc(s.known, func(known place) bool { return known.identity == cut.identity })
	s.known = append(s.known, cut)
}

// candidates are the places at which an earlier run, or this one, may have left this file: the one with its
// identity first, then the one with its path.
func (s *Source) candidates(st *stream) (found []place) {
	for _, known := range s.known {
		if known.identity == st.identity {
			found = append([]place{known}, found...)
		} else if known.Path == st.Path {
			found = append(found, known)
		}
	}
	return found
}
