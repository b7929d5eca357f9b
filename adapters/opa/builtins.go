package opa

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/builtins"
)

// The engine stops an evaluation between two steps, never inside a built-in
// function. So rules may call a function only when it stands in this list, and
// each of them is bounded before it begins (guarded): what it is given has a
// largest size, and what it may return too. Functions that read files, the
// network, the process or the clock, that are random, that handle keys, or
// whose time and memory grow out of proportion to what they are given (graphs,
// schemas, templates, YAML, shifts, JSON with indents) are not offered.
var allowed = map[string]guard{
	// comparisons, membership and what the compiler writes itself
	"eq": {}, "equal": {}, "neq": {}, "lt": {}, "lte": {}, "gt": {}, "gte": {}, "assign": {},
	"internal.member_2": {free: 1 << 1}, "internal.member_3": {free: 1 << 2}, "internal.template_string": {}, "internal.test_case": {},
	// numbers
	"plus": {}, "minus": {}, "mul": {}, "div": {}, "rem": {}, "abs": {}, "ceil": {}, "floor": {}, "round": {}, "format_int": {}, "to_number": {},
	"sum": {}, "product": {most: small}, "min": {}, "max": {}, "numbers.range": {}, "numbers.range_step": {},
	"bits.and": {}, "bits.or": {}, "bits.xor": {}, "bits.negate": {}, "bits.rsh": {},
	"units.parse": {most: small}, "units.parse_bytes": {most: small},
	// collections
	"count": {free: 1 << 0}, "sort": {}, "walk": {}, "array.concat": {}, "array.flatten": {}, "array.reverse": {}, "array.slice": {free: 1 << 0},
	"and": {}, "or": {}, "intersection": {}, "union": {},
	"object.get": {free: 1 << 0}, "object.keys": {}, "object.filter": {}, "object.remove": {}, "object.subset": {most: small}, "object.union": {},
	"object.union_n": {most: small}, "json.filter": {most: small}, "json.remove": {most: small}, "graph.reachable": {most: small},
	// text
	"concat": {check: checkConcat}, "contains": {}, "endswith": {}, "startswith": {}, "indexof": {}, "indexof_n": {most: small}, "lower": {}, "upper": {},
	"replace": {check: checkReplace}, "split": {}, "sprintf": {check: checkSprintf}, "substring": {},
	"strings.any_prefix_match": {most: small}, "strings.any_suffix_match": {most: small}, "strings.count": {}, "strings.replace_n": {check: checkReplaceN},
	"strings.reverse": {}, "strings.split_n": {},
	"trim": {most: small}, "trim_left": {most: small}, "trim_prefix": {}, "trim_right": {most: small}, "trim_space": {}, "trim_suffix": {},
	"regex.find_all_string_submatch_n": {check: checkPattern(0, 1)}, "regex.find_n": {check: checkPattern(0, 1)}, "regex.is_valid": {check: checkPattern(0, -1)},
	"regex.match": {check: checkPattern(0, 1)}, "regex.replace": {check: checkRegexReplace}, "regex.split": {check: checkPattern(0, 1)},
	"semver.compare": {most: small}, "semver.is_valid": {most: small}, "uuid.parse": {most: small},
	// types
	"is_array": {free: 1 << 0}, "is_boolean": {free: 1 << 0}, "is_null": {free: 1 << 0}, "is_number": {free: 1 << 0}, "is_object": {free: 1 << 0},
	"is_set": {free: 1 << 0}, "is_string": {free: 1 << 0}, "type_name": {free: 1 << 0},
	// encodings and hashes
	"base64.decode": {}, "base64.encode": {}, "base64.is_valid": {}, "base64url.decode": {}, "base64url.encode": {}, "base64url.encode_no_pad": {},
	"hex.decode": {}, "hex.encode": {}, "json.is_valid": {}, "json.marshal": {}, "json.unmarshal": {},
	"uri.is_valid": {most: small}, "uri.parse": {most: small},
	"urlquery.decode": {}, "urlquery.decode_object": {}, "urlquery.encode": {}, "urlquery.encode_object": {check: checkEncodeObject},
	"crypto.hmac.equal": {}, "crypto.hmac.md5": {}, "crypto.hmac.sha1": {}, "crypto.hmac.sha256": {}, "crypto.hmac.sha512": {},
	"crypto.md5": {}, "crypto.sha1": {}, "crypto.sha256": {},
	// addresses and time
	"net.cidr_contains": {most: small}, "net.cidr_intersects": {most: small}, "net.cidr_is_valid": {most: small}, "net.cidr_overlap": {most: small},
	"time.add_date": {most: small}, "time.clock": {check: checkZone}, "time.date": {check: checkZone}, "time.diff": {check: checkZone}, "time.format": {check: checkZone},
	"time.parse_duration_ns": {most: small}, "time.parse_ns": {most: small}, "time.parse_rfc3339_ns": {most: small}, "time.weekday": {check: checkZone},
	// the rule's own metadata
	"rego.metadata.chain": {}, "rego.metadata.rule": {},
}

// Sizes are counted in units: one for each value, and one more for each 16 bytes
// of a text.
const (
	small   = 4 << 10   // for functions whose time is a square of the size
	large   = 128 << 10 // for all others
	unit    = 16
	maxText = 4 << 20 // bytes of a text that a function may make
	maxWork = 8 << 20 // steps of a pattern: its instructions times the bytes it reads
)

// longestKey bounds what is looked for to replace, in bytes: the engine makes it
// ready in the square of its length.
const longestKey = 1000

// maxDigits bounds a number, and its exponent, for calculations.
const maxDigits = 400

// guard bounds a function before it is called.
type guard struct {
	free  uint                    // operands, as bits, that the function looks up in but does not read through
	most  int                     // units of all others; zero is large
	check func([]*ast.Term) error // further bounds
}

// capabilities are what rules may use of the language.
func capabilities() *ast.Capabilities {
	c := ast.CapabilitiesForThisVersion()
	c.Builtins = slices.DeleteFunc(c.Builtins, func(b *ast.Builtin) bool {
		_, ok := allowed[b.Name]
		return !ok
	})
	c.AllowNet = []string{}
	return c
}

// The engine looks its functions up in one table of the process.
func init() {
	for name, g := range allowed {
		if f := topdown.GetBuiltin(name); f != nil {
			topdown.RegisterBuiltinFunc(name, g.around(f))
		}
	}
}

func (g guard) around(f topdown.BuiltinFunc) topdown.BuiltinFunc {
	most := g.most
	if most == 0 {
		most = large
	}
	return func(call topdown.BuiltinContext, operands []*ast.Term, iter func(*ast.Term) error) error {
		left := most
		for i, operand := range operands {
			if g.free>>i&1 == 1 {
				continue
			}
			if err := weigh(operand, &left); err != nil {
				return err
			}
		}
		if g.check != nil {
			if err := g.check(operands); err != nil {
				return err
			}
		}
		return f(call, operands, iter)
	}
}

// weigh takes the size of a value from what is left.
func weigh(t *ast.Term, left *int) (err error) {
	*left--
	switch v := t.Value.(type) {
	case ast.String:
		*left -= len(v) / unit
	case ast.Number:
		if err := checkNumber(string(v)); err != nil {
			return err
		}
	case *ast.Array:
		for i := 0; i < v.Len() && *left > 0 && err == nil; i++ {
			err = weigh(v.Elem(i), left)
		}
	case ast.Set:
		v.Until(func(t *ast.Term) bool {
			err = weigh(t, left)
			return *left <= 0 || err != nil
		})
	case ast.Object:
		v.Until(func(key, value *ast.Term) bool {
			if err = weigh(key, left); err == nil {
				err = weigh(value, left)
			}
			return *left <= 0 || err != nil
		})
	}
	if err == nil && *left <= 0 {
		err = builtinError("the operands are too large")
	}
	return err
}

type builtinError string

func (e builtinError) Error() string { return string(e) }

func checkNumber(n string) error {
	if len(n) <= 20 && !strings.ContainsAny(n, "eE") {
		return nil
	}
	at := strings.IndexAny(n, "eE")
	if at < 0 {
		at = len(n)
	}
	exponent := strings.TrimLeft(strings.TrimLeft(n[min(at+1, len(n)):], "+-"), "0")
	if at > maxDigits || len(exponent) > 3 || len(exponent) == 3 && exponent > "400" {
		return builtinError("the number has more than 400 digits")
	}
	return nil
}

func textOf(t *ast.Term) string {
	s, _ := t.Value.(ast.String)
	return string(s)
}

// elements is how many values a collection holds, and their texts together.
func elements(t *ast.Term) (count, bytes int) {
	add := func(t *ast.Term) {
		count++
		bytes += len(textOf(t))
	}
	switch v := t.Value.(type) {
	case *ast.Array:
		v.Foreach(add)
	case ast.Set:
		v.Foreach(add)
	case ast.Object:
		v.Foreach(func(_, value *ast.Term) { add(value) })
	default:
		add(t)
	}
	return count, bytes
}

func checkText(bytes int) error {
	if bytes > maxText {
		return builtinError("the text would be too long")
	}
	return nil
}

func checkConcat(o []*ast.Term) error {
	count, bytes := elements(o[1])
	return checkText(bytes + count*len(textOf(o[0])))
}

func checkReplace(o []*ast.Term) error {
	text, before, after := textOf(o[0]), textOf(o[1]), textOf(o[2])
	if len(before) > longestKey {
		return builtinError("the text to replace is too long")
	}
	return checkText(len(text) + (len(text)/max(1, len(before))+1)*len(after))
}

func checkReplaceN(o []*ast.Term) error {
	patterns, ok := o[0].Value.(ast.Object)
	if !ok {
		return nil // the function refuses it
	}
	longest, key := 0, 0
	patterns.Foreach(func(k, value *ast.Term) { longest, key = max(longest, len(textOf(value))), max(key, len(textOf(k))) })
	if patterns.Len() > longestKey || key > longestKey {
		return builtinError("the patterns are too large")
	}
	text := len(textOf(o[1]))
	return checkText(text + (text+1)*longest)
}

// checkEncodeObject counts a key once for each of its values, as it is written.
func checkEncodeObject(o []*ast.Term) error {
	fields, ok := o[0].Value.(ast.Object)
	if !ok {
		return nil // the function refuses it
	}
	bytes := 0
	fields.Foreach(func(key, value *ast.Term) {
		count, texts := elements(value)
		bytes += 3 * (count*(len(textOf(key))+1) + texts) // three bytes for an escaped one
	})
	return checkText(bytes)
}

// widths are numbers and stars in verbs of sprintf that make their output long.
var widths = regexp.MustCompile(`%[^a-zA-Z%]*(\*|[0-9]{4,})`)

func checkSprintf(o []*ast.Term) error {
	format := textOf(o[0])
	if widths.MatchString(format) {
		return builtinError("the width of a verb is too large")
	}
	left := large
	if err := weigh(o[1], &left); err != nil {
		return err
	}
	const width = 1000
	return checkText(len(format) + strings.Count(format, "%")*(width+(large-left)*unit))
}

// instructions remembers how large patterns are.
var instructions = struct {
	sync.Mutex
	of map[string]int
}{of: map[string]int{}}

// sizeOf is how many instructions a pattern has; 0 for one that does not
// compile.
func sizeOf(pattern string) int {
	instructions.Lock()
	defer instructions.Unlock()
	if n, ok := instructions.of[pattern]; ok {
		return n
	}
	n := 0
	if parsed, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		if program, err := syntax.Compile(parsed.Simplify()); err == nil {
			n = len(program.Inst)
		}
	}
	if len(instructions.of) >= 1000 {
		clear(instructions.of)
	}
	instructions.of[pattern] = n
	return n
}

// checkPattern bounds the work of matching the text at an operand, -1 for none,
// with the pattern at another.
func checkPattern(pattern, text int) func([]*ast.Term) error {
	return func(o []*ast.Term) error {
		const longest, largest = 1000, 10_000
		p := textOf(o[pattern])
		if len(p) > longest {
			return builtinError("the pattern is too long")
		}
		size, read := sizeOf(p), 1
		if text >= 0 {
			read += len(textOf(o[text]))
		}
		if size > largest || size*read > maxWork {
			return builtinError("the pattern is too large for this text")
		}
		return nil
	}
}

func checkRegexReplace(o []*ast.Term) error {
	if err := checkPattern(1, 0)(o); err != nil {
		return err
	}
	text, value := len(textOf(o[0])), textOf(o[2])
	return checkText(text + strings.Count(value, "$")*text + (text+1)*len(value))
}

// zoneName is how time zones are called. The engine reads them from the
// system's folder of zones, or from its own copy.
var zoneName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_+-]{0,30}(/[A-Za-z0-9_+-]{1,30}){0,2}$`)

// checkZone checks the names of zones in the operands [time, zone, layout] and
// time of the functions on times.
func checkZone(o []*ast.Term) error {
	for _, operand := range o {
		moment, ok := operand.Value.(*ast.Array)
		if !ok || moment.Len() < 2 {
			continue
		}
		if zone := textOf(moment.Elem(1)); zone != "" && !zoneName.MatchString(zone) {
			return builtins.NewOperandErr(1, "%s", fmt.Sprintf("no time zone is called %.60q", zone))
		}
	}
	return nil
}
