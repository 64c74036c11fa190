package store

import (
	"errors"
	"syscall"
)

// noSpace says whether an error is one that goes away when somebody makes room.
func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
