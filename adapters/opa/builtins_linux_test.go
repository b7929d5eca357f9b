package opa

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/types"
	"golang.org/x/sys/unix"

	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// watchOpens returns a function that reports whether a file in dir was opened
// since it was last asked.
func watchOpens(t *testing.T, dir string) func() bool {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_OPEN|unix.IN_ACCESS); err != nil {
		t.Fatal(err)
	}
	return func() bool {
		n, _ := unix.Read(fd, make([]byte, 64<<10))
		return n > 0
	}
}

// watchCalls returns the address of a listener and a function that reports
// whether somebody has called it.
func watchCalls(t *testing.T) (address string, called func() bool) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String(), func() bool {
		_ = l.(*net.TCPListener).SetDeadline(time.Now().Add(time.Millisecond))
		c, err := l.Accept()
		if err == nil {
			c.Close()
		}
		return err == nil
	}
}

// hostile are values that make functions work without end, fill the memory, or
// reach out.
func hostile(file, address string) (all []*ast.Term) {
	number := func(n string) *ast.Term { return ast.NewTerm(ast.Number(n)) }
	repeat := strings.Repeat
	for _, s := range []string{
		"", "a", file, "file://" + file, "file:/" + file, "../../../../../../../.." + file, "http://" + address + "/x", address, "localhost",
		repeat("a", 1<<20), repeat("a", 1<<14), repeat("-", 900), repeat("<a>", 5000), "%1000000000d", repeat("%999999d", 4000), repeat("%[1]s", 4000), repeat("%d", 1000),
		"(a*)*b", repeat("(a|a)", 150) + "$", repeat("(", 300) + "a" + repeat("{9}){9}", 3), repeat("a?", 400) + repeat("a", 100), "((((a{30}){30}){30}){30})", repeat("*a", 100) + "b",
		repeat("{a,b,c}", 40), "$0$0$0$0$0$0$0$0", "0.0.0.0/0", "::/0", "1.2.3.4/1", "1e999999999", "1" + repeat("0", 5000), "9999999999999999999999999K", "1e999999999999Gi", "UTC",
		"Europe/Berlin", "{\"$ref\": \"file://" + file + "\"}", repeat("[", 20000), repeat("{{", 1000), "999999999999h", "9999-12-31T23:59:59Z", "2006-01-02", "1.2." + repeat("9", 1000),
		"query { " + repeat("a{", 5000), repeat("a=b&", 20000), "i", "s", "dir",
	} {
		all = append(all, ast.StringTerm(s))
	}
	for _, n := range []string{"0", "1", "-1", "2", "10", "16", "4000000000", "-4000000000", "9223372036854775807", "-9223372036854775808", "0.1", "1e308", "1e400", "1e999999999", "-1e999999999", "1e-999999999", "1" + repeat("0", 20000)} {
		all = append(all, number(n))
	}
	all = append(all, ast.BooleanTerm(true), ast.NullTerm())
	texts, numbers, same, digits := []*ast.Term{}, []*ast.Term{}, []*ast.Term{}, []*ast.Term{}
	for i := range 20_000 {
		texts, numbers = append(texts, ast.StringTerm(fmt.Sprint("10.0.0.", i))), append(numbers, number(fmt.Sprint(i)))
		same, digits = append(same, ast.StringTerm(repeat("a", 500))), append(digits, number("1e399"))
	}
	nodes, graph, pairs := []*ast.Term{}, ast.NewObject(), ast.NewObject()
	for i := range 22 {
		nodes = append(nodes, ast.StringTerm(fmt.Sprint("n", i)))
	}
	for _, n := range nodes {
		graph.Insert(n, ast.ArrayTerm(nodes...))
	}
	for i := range 5000 {
		pairs.Insert(ast.StringTerm(fmt.Sprint("k", i)), ast.StringTerm(repeat("a", 200)))
	}
	shared := ast.ArrayTerm(number("1"), number("1")) // 2^40 values in 40 arrays
	other := ast.ArrayTerm(number("1"), number("1"))
	objects := ast.ObjectTerm([2]*ast.Term{ast.StringTerm("a"), number("1")})
	for range 40 {
		shared, other = ast.ArrayTerm(shared, shared), ast.ArrayTerm(other, other)
		objects = ast.ObjectTerm([2]*ast.Term{ast.StringTerm("a"), objects}, [2]*ast.Term{ast.StringTerm("b"), objects})
	}
	schema := func(ref string) *ast.Term {
		return ast.ObjectTerm([2]*ast.Term{ast.StringTerm("$ref"), ast.StringTerm(ref)})
	}
	moments := []*ast.Term{ast.ArrayTerm(number("1"), ast.StringTerm("../../../../../../../.."+file)), ast.ArrayTerm(number("1"), ast.StringTerm("Europe/Berlin"), ast.StringTerm(repeat("2006", 5000)))}
	arrays := [][]*ast.Term{{}, nodes, texts, numbers, same, digits, {shared}, {objects}, {ast.ObjectTerm([2]*ast.Term{ast.StringTerm("k"), shared}), ast.NewTerm(pairs)}}
	for _, a := range arrays {
		all = append(all, ast.ArrayTerm(a...), ast.SetTerm(a...))
	}
	all = append(all, shared, other, objects, ast.NewTerm(graph), ast.NewTerm(pairs), schema("file://"+file), schema("http://"+address+"/x"))
	return append(all, moments...)
}

// fitting are the values that may stand for a type.
func fitting(of types.Type, values []*ast.Term) (fit []*ast.Term) {
	for _, v := range values {
		var is bool
		switch of := of.(type) {
		case types.String:
			_, is = v.Value.(ast.String)
		case types.Number:
			_, is = v.Value.(ast.Number)
		case types.Boolean:
			_, is = v.Value.(ast.Boolean)
		case *types.Array:
			_, is = v.Value.(*ast.Array)
		case *types.Set:
			_, is = v.Value.(ast.Set)
		case *types.Object:
			_, is = v.Value.(ast.Object)
		case types.Any:
			is = len(of) == 0 || slices.ContainsFunc(of, func(one types.Type) bool { return len(fitting(one, []*ast.Term{v})) > 0 })
		case *types.NamedType:
			is = len(fitting(of.Type, []*ast.Term{v})) > 0
		}
		if is {
			fit = append(fit, v)
		}
	}
	return fit
}

// choices are lists of operands: each value at each place, beside others, which
// differ from place to place; several of them when PASTEPORT_TEST_LONG is set.
func choices(places [][]*ast.Term) (all [][]*ast.Term) {
	beside := 1
	if os.Getenv("PASTEPORT_TEST_LONG") != "" {
		beside = 3
	}
	for at, values := range places {
		for i, v := range values {
			for k := range beside {
				one := make([]*ast.Term, len(places))
				for place, others := range places {
					one[place] = others[(i*(place+1)+k*(13+5*place))%len(others)]
				}
				one[at] = v
				all = append(all, one)
			}
			if len(places) == 1 {
				all = all[:i+1]
			}
		}
	}
	if len(places) == 0 {
		all = [][]*ast.Term{nil}
	}
	return all
}

func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestLongNoBuiltInFunctionReachesOutOrOutlivesTheDeadline calls every function that
// rules may call with everything that could make it open a file, call somebody,
// work on after the deadline of a decision, or take memory without bound.
func TestLongNoBuiltInFunctionReachesOutOrOutlivesTheDeadline(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	const (
		hangs  = time.Minute // 50 ms are allowed; this is for a machine that is busy
		memory = 512 << 20   // made, and mostly thrown away, by one call
	)
	dir := t.TempDir()
	file := filepath.Join(dir, "canary.json")
	if err := os.WriteFile(file, []byte(`{"type": "string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	opened := watchOpens(t, dir)
	address, called := watchCalls(t)
	values := hostile(file, address)
	var finite []*ast.Term // what unification, which is no function, gets
	for _, v := range values {
		if left := large; weigh(v, &left) == nil {
			finite = append(finite, v)
		}
	}
	for _, b := range capabilities().Builtins {
		t.Run(b.Name, func(t *testing.T) {
			arguments := b.Decl.FuncArgs().Args
			places, names := make([][]*ast.Term, len(arguments)), make([]string, len(arguments))
			values := values
			if b.Name == "eq" || b.Name == "assign" {
				values = finite
			}
			for i, of := range arguments {
				if places[i] = fitting(of, values); len(places[i]) == 0 {
					t.Fatalf("no value fits operand %d of %s", i, of)
				}
				names[i] = fmt.Sprintf("input[%d]", i)
			}
			call := b.Name + "(" + strings.Join(names, ", ") + ")"
			switch {
			case b.Name == "assign":
				call = "x := input"
			case b.Name == "walk":
				call = "count([x | walk(input[0], x)]) > 0"
			case b.Decl.Result() != nil && b.Infix == "" && !strings.HasPrefix(b.Name, "internal."):
				call = "x := " + call
			}
			query, err := rego.New(rego.Query(call), rego.Capabilities(capabilities()), rego.SetRegoVersion(ast.RegoV1), rego.StrictBuiltinErrors(true)).PrepareForEval(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", call, err)
			}
			for i, operands := range choices(places) {
				before, ended := allocated(), make(chan struct{})
				go func() {
					defer close(ended)
					limit := newDeadline(t.Context(), DefaultTimeout)
					defer limit.release()
					_, _ = query.Eval(t.Context(), rego.EvalParsedInput(ast.NewArray(operands...)), rego.EvalExternalCancel(limit), rego.EvalGenerateJSON(keepValue))
				}()
				select {
				case <-ended:
				case <-time.After(hangs):
					t.Fatalf("call %d goes on: %s", i, shown(operands))
				}
				if made := allocated() - before; made > memory {
					t.Errorf("call %d made %d MiB: %s", i, made>>20, shown(operands))
				}
			}
			if opened() {
				t.Error("opened a file")
			}
			if called() {
				t.Error("called an address")
			}
		})
	}
	// The watches do see what they watch for.
	if _, err := os.ReadFile(file); err != nil || !opened() {
		t.Errorf("the file was read and nobody noticed (error %v)", err)
	}
	c, err := net.Dial("tcp", address)
	if err != nil || !called() {
		t.Fatalf("the address was called and nobody noticed (error %v)", err)
	}
	c.Close()
}

func shown(operands []*ast.Term) string {
	texts := make([]string, len(operands))
	for i, o := range operands {
		left := 1000
		if err := weigh(o, &left); err != nil {
			texts[i] = fmt.Sprintf("a large %T", o.Value)
			continue
		}
		s := o.String()
		texts[i] = s[:min(len(s), 100)]
	}
	return strings.Join(texts, ", ")
}

func TestRulesCannotReadFilesByTheirMetadata(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "canary.json")
	if err := os.WriteFile(file, []byte(`{"type": "secret of the server"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	opened := watchOpens(t, dir)
	d := newDecider(t, Options{})
	rule := "deny contains {\"code\": \"x\", \"message\": \"\"} if input.subject.guest\n"
	for name, rules := range map[string]policy.Rules{
		"a schema of a rule":       {"a.rego": "package pasteport.site\n\n# METADATA\n# schemas:\n#   - input: {\"$ref\": \"file://" + file + "\"}\n" + rule},
		"a schema of a package":    {"a.rego": "# METADATA\n# schemas:\n#   - input: {\"$ref\": \"file://" + file + "\"}\npackage pasteport.site\n\n" + rule},
		"a schema of a test":       {"a_test.rego": "package pasteport.site_test\n\n# METADATA\n# schemas:\n#   - input: {\"$ref\": \"file://" + file + "\"}\ntest_it if input.subject.guest\n"},
		"a check against a schema": {"a.rego": "package pasteport.site\n\ndeny contains {\"code\": \"x\", \"message\": e} if [_, [e]] = json.match_schema({}, {\"$ref\": \"file://" + file + "\"})\n"},
		"a look at a schema":       {"a.rego": "package pasteport.site\n\ndeny contains {\"code\": \"x\", \"message\": e} if [_, e] = json.verify_schema({\"$ref\": \"file://" + file + "\"})\n"},
	} {
		report, err := d.Check(t.Context(), rules)
		if err != nil || report.OK() || len(report.Problems) == 0 {
			t.Errorf("%s: %+v, %v", name, report, err)
		} else if p := report.Problems[0]; p.Row == 0 || strings.Contains(p.Message, "secret") {
			t.Errorf("%s: %+v", name, p)
		}
		if opened() {
			t.Errorf("%s: the file was opened", name)
		}
	}
}
