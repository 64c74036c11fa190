package inbound

import (
	"net"
	"sync"
)

// Listener accepts so many connections at once; further ones wait in the kernel's queue.
type Listener struct {
	net.Listener
	slots chan struct{}
	done  chan struct{}
	once  sync.Once
}

// Listen bounds what l accepts to most connections at once. l is the Listener's to close.
func Listen(l net.Listener, most int) *Listener {
	return &Listener{Listener: l, slots: make(chan struct{}, most), done: make(chan struct{})}
}

// Accept waits for a slot and then for a connection, which gives the slot back when it is closed.
func (b *Listener) Accept() (net.Conn, error) {
	select {
	case b.slots <- struct{}{}:
	case <-b.done:
		return nil, net.ErrClosed
	}
	conn, err := b.Listener.Accept()
	if err != nil {
		<-b.slots
		return nil, err
	}
	return &slotConn{Conn: conn, slots: b.slots}, nil
}

// Close ends every Accept. It is idempotent but for the error.
func (b *Listener) Close() error {
	b.once.Do(func() { close(b.done) })
	return b.Listener.Close()
}

// slotConn gives its slot back when it is closed.
type slotConn struct {
	net.Conn
	slots chan struct{}
	once  sync.Once
}

func (c *slotConn) Close() error {
	c.once.Do(func() { <-c.slots })
	return c.Conn.Close()
}
