package console

import (
	"net"
	"sync"
)

// bounded accepts so many connections at once; further ones wait in the kernel's queue.
type bounded struct {
	net.Listener
	slots chan struct{}
	done  chan struct{}
	once  sync.Once
}

func newBounded(l net.Listener, most int) *bounded {
	return &bounded{Listener: l, slots: make(chan struct{}, most), done: make(chan struct{})}
}

func (b *bounded) Accept() (net.Conn, error) {
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
	return &boundedConn{Conn: conn, slots: b.slots}, nil
}

func (b *bounded) Close() error {
	b.once.Do(func() { close(b.done) })
	return b.Listener.Close()
}

// boundedConn gives its slot back when it is closed.
type boundedConn struct {
	net.Conn
	slots chan struct{}
	once  sync.Once
}

func (c *boundedConn) Close() error {
	c.once.Do(func() { <-c.slots })
	return c.Conn.Close()
}
