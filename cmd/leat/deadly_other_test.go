//go:build !linux

package main

// deadly is leat: its tests need child processes.
func deadly() { main() }
