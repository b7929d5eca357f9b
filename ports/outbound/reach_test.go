package outbound

import (
	"errors"
	"net"
	"net/http"
	"testing"
	"time"
)

func TestOnlyPublicAddressesAreConnected(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "::ffff:127.0.0.1"} {
		address := net.JoinHostPort(host, port)
		conn, err := PublicOnly.Dialer(5*time.Second).DialContext(t.Context(), "tcp", address)
		if !errors.Is(err, ErrPrivate) {
			t.Errorf("%s: %v", address, err)
		}
		if err == nil {
			conn.Close()
		}
	}
	conn, err := Anywhere.Dialer(5*time.Second).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	for address, want := range map[string]bool{
		"93.184.216.34:9000": true, "[2606:4700::1111]:443": true, "169.254.169.254:80": false, "10.0.0.1:443": false, "100.64.0.1:443": false,
		"[fd00::1]:443": false, "[64:ff9b::a00:1]:443": false, "nonsense": false,
	} {
		if got := check(address) == nil; got != want {
			t.Errorf("check(%q) = %t", address, got)
		}
	}
}

func TestABoundedReachUsesNoProxy(t *testing.T) {
	request, err := http.NewRequest(http.MethodGet, "https://example.com", nil)
	if err != nil {
		t.Fatal(err)
	}
	if proxy, err := PublicOnly.Proxy(request); proxy != nil || err != nil {
		t.Errorf("%v, %v", proxy, err)
	}
}
