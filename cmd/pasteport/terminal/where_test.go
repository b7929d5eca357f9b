package terminal

import (
	"strings"
	"testing"
)

func TestTheFirstStartTellsWhereToSignIn(t *testing.T) {
	for _, c := range []struct{ listen, public, want string }{
		{listen: ":8787", want: "http://localhost:8787"},
		{listen: "0.0.0.0:80", want: "http://localhost:80"},
		{listen: "[::]:8787", want: "http://localhost:8787"},
		{listen: "127.0.0.1:9000", want: "http://127.0.0.1:9000"},
		{listen: "[::1]:9000", want: "http://[::1]:9000"},
		{listen: ":8787", public: "https://paste.example/base/", want: "https://paste.example/base"},
		{listen: "127.0.0.1:0"},
		{listen: "unix:/run/pasteport.sock"},
	} {
		var told strings.Builder
		if err := TellWhere(&told, c.listen, c.public); err != nil {
			t.Fatal(err)
		}
		want := ""
		if c.want != "" {
			want = "sign in at " + c.want + "/admin\n"
		}
		if told.String() != want {
			t.Errorf("%q %q: %q instead of %q", c.listen, c.public, told.String(), want)
		}
	}
}
