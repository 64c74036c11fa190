package wasm

import (
	"encoding/binary"
	"fmt"
	"math"
)

// wasiModule is WASI preview 1 with everything ambient removed: no files, no arguments,
// no environment, no sockets. What is left is time (the message's), randomness (seeded by
// the message's id), standard output and error (the capped log), standard input (empty,
// but for a command: the payload) and exit.
const wasiModule = "wasi_snapshot_preview1"

// errno values of WASI preview 1 that this host returns.
const (
	errnoSuccess = 0
	errnoBadf    = 8
	errnoInval   = 28
	errnoNosys   = 52
	errnoSpipe   = 70
)

const (
	fdStdin  = 0
	fdStdout = 1
	fdStderr = 2
)

func wasiFunctions() []hostFunction {
	return append(wasiRefusals(), []hostFunction{
		{"args_get", sig("ii", "i"), returns(errnoSuccess)},
		{"args_sizes_get", sig("ii", "i"), wasiNoStrings},
		{"environ_get", sig("ii", "i"), returns(errnoSuccess)},
		{"environ_sizes_get", sig("ii", "i"), wasiNoStrings},
		{"clock_res_get", sig("ii", "i"), wasiClockRes},
		{"clock_time_get", sig("iIi", "i"), wasiClockTime},
		{"fd_close", sig("i", "i"), onStandard(errnoSuccess)},
		{"fd_fdstat_get", sig("ii", "i"), wasiFdstat},
		{"fd_fdstat_set_flags", sig("ii", "i"), onStandard(errnoSuccess)},
		{"fd_filestat_get", sig("ii", "i"), wasiFilestat},
		{"fd_read", sig("iiii", "i"), wasiRead},
		{"fd_write", sig("iiii", "i"), wasiWrite},
		{"fd_seek", sig("iIii", "i"), onStandard(errnoSpipe)},
		{"fd_tell", sig("ii", "i"), onStandard(errnoSpipe)},
		{"fd_sync", sig("i", "i"), onStandard(errnoSuccess)},
		{"fd_datasync", sig("i", "i"), onStandard(errnoSuccess)},
		{"poll_oneoff", sig("iiii", "i"), wasiPoll},
		{"proc_exit", sig("i", ""), wasiExit},
		{"random_get", sig("ii", "i"), wasiRandom},
		{"sched_yield", sig("", "i"), returns(errnoSuccess)},
	}...)
}

// wasiRefusals are the functions that find nothing to work on: no descriptor but the
// three standard ones is ever open, and none of them is a file, directory or socket.
func wasiRefusals() []hostFunction {
	var out []hostFunction
	for _, f := range []struct{ name, params string }{
		{"fd_advise", "iIIi"}, {"fd_allocate", "iII"}, {"fd_fdstat_set_rights", "iII"}, {"fd_filestat_set_size", "iI"},
		{"fd_filestat_set_times", "iIIi"}, {"fd_pread", "iiiIi"}, {"fd_prestat_get", "ii"}, {"fd_prestat_dir_name", "iii"},
		{"fd_pwrite", "iiiIi"}, {"fd_readdir", "iiiIi"}, {"fd_renumber", "ii"},
		{"path_create_directory", "iii"}, {"path_filestat_get", "iiiii"}, {"path_filestat_set_times", "iiiiIIi"},
		{"path_link", "iiiiiii"}, {"path_open", "iiiiiIIii"}, {"path_readlink", "iiiiii"}, {"path_remove_directory", "iii"},
		{"path_rename", "iiiiii"}, {"path_symlink", "iiiii"}, {"path_unlink_file", "iii"},
		{"sock_accept", "iii"}, {"sock_recv", "iiiiii"}, {"sock_send", "iiiii"}, {"sock_shutdown", "ii"},
	} {
		out = append(out, hostFunction{f.name, sig(f.params, "i"), returns(errnoBadf)})
	}
	return append(out, hostFunction{"proc_raise", sig("i", "i"), returns(errnoNosys)})
}

func returns(errno uint64) func(*instance, []uint64) {
	return func(_ *instance, stack []uint64) { stack[0] = errno }
}

// onStandard answers errno for a standard descriptor and badf for any other.
func onStandard(errno uint64) func(*instance, []uint64) {
	return func(_ *instance, stack []uint64) {
		if uint32(stack[0]) > fdStderr {
			errno := uint64(errnoBadf)
			stack[0] = errno
			return
		}
		stack[0] = errno
	}
}

// wasiNoStrings says that there are no arguments or variables.
func wasiNoStrings(i *instance, stack []uint64) {
	i.putU32("wasi count", stack[0], 0)
	i.putU32("wasi size", stack[1], 0)
	stack[0] = errnoSuccess
}

func (i *instance) putU32(what string, ptr uint64, v uint32) {
	binary.LittleEndian.PutUint32(i.view(what, ptr, 4), v)
}

func (i *instance) putU64(what string, ptr, v uint64) {
	binary.LittleEndian.PutUint64(i.view(what, ptr, 8), v)
}

const (
	clockRealtime  = 0
	clockThreadCPU = 3 // the last of the four clock ids
)

func wasiClockRes(i *instance, stack []uint64) {
	if uint32(stack[0]) > clockThreadCPU {
		stack[0] = errnoInval
		return
	}
	i.putU64("clock_res_get", stack[1], uint64(clockRead))
	stack[0] = errnoSuccess
}

func wasiClockTime(i *instance, stack []uint64) {
	id := uint32(stack[0])
	if id > clockThreadCPU {
		stack[0] = errnoInval
		return
	}
	i.putU64("clock_time_get", stack[2], uint64(i.clock.read(id)))
	stack[0] = errnoSuccess
}

func (c *clock) read(id uint32) int64 {
	if id == clockRealtime {
		return c.walltime()
	}
	return c.nanotime()
}

// wasiFdstat describes a standard descriptor: a character device, readable or writable.
func wasiFdstat(i *instance, stack []uint64) {
	const characterDevice, rightRead, rightWrite = 2, 1 << 1, 1 << 6
	fd := uint32(stack[0])
	if fd > fdStderr {
		stack[0] = errnoBadf
		return
	}
	stat := i.view("fd_fdstat_get", stack[1], 24)
	clear(stat)
	stat[0] = characterDevice
	rights := uint64(rightWrite)
	if fd == fdStdin {
		rights = rightRead
	}
	binary.LittleEndian.PutUint64(stat[8:], rights)
	stack[0] = errnoSuccess
}

func wasiFilestat(i *instance, stack []uint64) {
	const characterDevice = 2
	if uint32(stack[0]) > fdStderr {
		stack[0] = errnoBadf
		return
	}
	stat := i.view("fd_filestat_get", stack[1], 64)
	clear(stat)
	stat[16] = characterDevice
	stack[0] = errnoSuccess
}

// vectors calls fn for each buffer of an iovec list until it returns false.
func (i *instance) vectors(what string, ptr, count uint64, fn func([]byte) bool) {
	list := i.view(what, ptr, uint64(min(uint32(count), math.MaxUint32/8))*8)
	i.charge(len(list))
	for ; len(list) >= 8; list = list[8:] {
		buf := i.view(what, uint64(binary.LittleEndian.Uint32(list)), uint64(binary.LittleEndian.Uint32(list[4:])))
		if !fn(buf) {
			return
		}
	}
}

func wasiRead(i *instance, stack []uint64) {
	if uint32(stack[0]) != fdStdin {
		stack[0] = errnoBadf
		return
	}
	total := 0
	i.vectors("fd_read", stack[1], stack[2], func(buf []byte) bool {
		n := copy(buf, i.apply.stdin)
		i.charge(n)
		i.apply.stdin = i.apply.stdin[n:]
		total += n
		return len(i.apply.stdin) > 0
	})
	i.putU32("fd_read", stack[3], uint32(total))
	stack[0] = errnoSuccess
}

func wasiWrite(i *instance, stack []uint64) {
	fd := uint32(stack[0])
	if fd != fdStdout && fd != fdStderr {
		stack[0] = errnoBadf
		return
	}
	total := uint64(0)
	i.vectors("fd_write", stack[1], stack[2], func(buf []byte) bool {
		i.charge(len(buf))
		i.write(fd, buf)
		total += uint64(len(buf))
		return true
	})
	i.putU32("fd_write", stack[3], uint32(total))
	stack[0] = errnoSuccess
}

// write takes what the guest prints: a command's standard output is its result, all else
// is its log.
func (i *instance) write(fd uint32, text []byte) {
	switch {
	case fd == fdStderr:
		i.log.print("warn", text)
	case i.module.settings.ABI == abiCommand:
		i.chargeOutput(len(text))
		i.apply.stdout = append(i.apply.stdout, text...)
	default:
		i.log.print("info", text)
	}
}

// wasiExit ends the guest. For a reactor any exit is a failure; a command's Apply looks
// at the code.
func wasiExit(_ *instance, stack []uint64) { panic(&exitError{code: uint32(stack[0])}) }

// exitError is a guest's proc_exit.
type exitError struct{ code uint32 }

func (e *exitError) Error() string { return fmt.Sprintf("the guest exited with code %d", e.code) }

func wasiRandom(i *instance, stack []uint64) {
	buf := i.view("random_get", stack[0], stack[1])
	for ; len(buf) > 0; buf = buf[min(len(buf), chargeLooks):] {
		piece := buf[:min(len(buf), chargeLooks)]
		i.charge(len(piece))
		_, _ = i.random.generator().Read(piece) // never fails
	}
	stack[0] = errnoSuccess
}
