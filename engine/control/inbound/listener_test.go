package inbound

import (
	"net"
	"testing"
)

// More connections than the bound wait for one that ends, and the rest are served.
func TestConnectionsAreBounded(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Listen(inner, 2)
	defer l.Close()
	accepted := make(chan net.Conn, 3)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- conn
		}
	}()
	for range 3 {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	first, second := <-accepted, <-accepted
	select {
	case <-accepted:
		t.Fatal("a third was let in")
	default:
	}
	_ = first.Close()
	_ = first.Close() // gives its slot back once
	third := <-accepted
	_, _ = second.Close(), third.Close()
	_ = l.Close()
	for range accepted {
	}
}
