package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// A struct describes the command line by the tags of its fields. A field with
// the tag cmd is a command, with arg an argument, else a flag; an embedded
// struct brings its fields. help, default, enum, placeholder, name and env say
// what they say; a flag is named after its field, and its variable after the
// flag, with PASTEPORT_ in front; env:"-" is no variable. The command with
// default is meant when none is named.
//
// Libraries for this look methods up by name, which makes the linker keep every
// exported method of the program (docs/adr/0011).

// runnable is what the command line can end in.
type runnable interface {
	Run(ctx context.Context, s *settings) error
}

// errHelp is the wish for help.
var errHelp = errors.New("help is wanted")

// usageStatus is the status of a process whose command line made no sense.
const usageStatus = 80

// node is a command, or the program itself.
type node struct {
	name, help string
	value      reflect.Value // the struct
	flags      []*option
	args       []*option
	commands   []*node
	standard   *node // the command when none is named
	parent     *node
}

// option is a flag or an argument.
type option struct {
	name, env, help, standard, placeholder string
	enum                                   []string
	value                                  reflect.Value
}

// grammar reads command lines into a struct.
type grammar struct{ root *node }

// commandLine knows the whole command line; it fills c.
func commandLine(c *cli) (*grammar, error) {
	root := &node{name: "pasteport", help: "Share texts and files by a link, from a server of your own."}
	root.value = reflect.ValueOf(c).Elem()
	if err := root.describe(root.value); err != nil {
		return nil, err
	}
	return &grammar{root}, nil
}

// describe reads the tags of a struct.
func (n *node) describe(v reflect.Value) error {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		_, isCommand := field.Tag.Lookup("cmd")
		_, isArgument := field.Tag.Lookup("arg")
		switch {
		case field.Anonymous:
			if err := n.describe(value); err != nil {
				return err
			}
		case isCommand:
			child := &node{name: cmp.Or(field.Tag.Get("name"), kebab(field.Name)), help: field.Tag.Get("help"), value: value, parent: n}
			if err := child.describe(value); err != nil {
				return err
			}
			n.commands = append(n.commands, child)
			if field.Tag.Get("default") != "" {
				n.standard = child
			}
		default:
			o := newOption(field, value)
			if err := o.set(o.standard); err != nil && o.standard != "" {
				return fmt.Errorf("default of --%s: %w", o.name, err)
			}
			if isArgument {
				o.env = ""
				n.args = append(n.args, o)
			} else {
				n.flags = append(n.flags, o)
			}
		}
	}
	return nil
}

func newOption(field reflect.StructField, value reflect.Value) *option {
	tag := field.Tag
	o := &option{name: cmp.Or(tag.Get("name"), kebab(field.Name)), help: tag.Get("help"), standard: tag.Get("default"), value: value}
	o.env = cmp.Or(tag.Get("env"), "PASTEPORT_"+strings.ToUpper(strings.ReplaceAll(o.name, "-", "_")))
	if o.env == "-" {
		o.env = ""
	}
	o.placeholder = cmp.Or(tag.Get("placeholder"), o.standard, strings.ToUpper(o.name))
	if tag.Get("enum") != "" {
		o.enum = strings.Split(tag.Get("enum"), ",")
	}
	return o
}

// kebab is the name of a flag for that of a field: DataDir is data-dir.
func kebab(field string) string {
	var b strings.Builder
	for i, r := range field {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// parsed is a command line that makes sense. warnings are for the operator.
type parsed struct {
	command  runnable
	warnings []string
}

// reading is a command line under way.
type reading struct {
	at     *node
	words  []string             // those left
	given  map[*option][]string // what the command line says
	places int                  // arguments that have come
}

// Parse reads a command line without the program's name. What it says is
// stronger than the environment, then comes the file of --config, then the
// defaults. Returns errHelp when help is asked for.
func (g *grammar) Parse(args []string) (*parsed, error) {
	r := &reading{at: g.root, words: args, given: map[*option][]string{}}
	if err := r.read(); err != nil {
		return nil, &usageError{r.at, err}
	}
	file, err := r.fill()
	if err == nil {
		err = g.known(file)
	}
	var warnings []string
	if err == nil {
		warnings, err = g.knownVariables(os.Environ())
	}
	if err != nil {
		return nil, &usageError{r.at, err}
	}
	run, ok := r.at.value.Addr().Interface().(runnable)
	if !ok {
		return nil, &usageError{r.at, fmt.Errorf("expected one of %s", strings.Join(r.at.names(), ", "))}
	}
	return &parsed{run, warnings}, nil
}

func (r *reading) read() error {
	for onlyWords := false; len(r.words) > 0; {
		word := r.words[0]
		r.words = r.words[1:]
		var err error
		switch {
		case word == "--" && !onlyWords:
			onlyWords = true
		case strings.HasPrefix(word, "-") && word != "-" && !onlyWords:
			err = r.flag(word)
		default:
			err = r.word(word)
		}
		if err != nil {
			return err
		}
	}
	if r.at.standard != nil {
		r.at = r.at.standard
	}
	if r.places < len(r.at.args) {
		return fmt.Errorf("expected %q", "<"+r.at.args[r.places].name+">")
	}
	return nil
}

// flag takes --name=value, --name value, and --name of a flag that is true or
// false.
func (r *reading) flag(word string) error {
	if word == "--help" || word == "-h" {
		return errHelp
	}
	name, value, hasValue := strings.Cut(strings.TrimPrefix(word, "--"), "=")
	o := r.at.flag(name)
	if o == nil || !strings.HasPrefix(word, "--") {
		return fmt.Errorf("unknown flag %s", word)
	}
	switch {
	case hasValue:
	case o.value.Kind() == reflect.Bool:
		value = "true"
	case len(r.words) == 0:
		return fmt.Errorf("--%s: expected a value", o.name)
	default:
		value, r.words = r.words[0], r.words[1:]
	}
	r.given[o] = append(r.given[o], value)
	return nil
}

// flag finds a flag of the command, of those around it, or of the one that is
// meant when none is named.
func (n *node) flag(name string) *option {
	if n.standard != nil {
		if o := n.standard.own(name); o != nil {
			return o
		}
	}
	for ; n != nil; n = n.parent {
		if o := n.own(name); o != nil {
			return o
		}
	}
	return nil
}

func (n *node) own(name string) *option {
	for _, o := range n.flags {
		if o.name == name {
			return o
		}
	}
	return nil
}

// word takes a command's name or an argument.
func (r *reading) word(word string) error {
	for _, c := range r.at.commands {
		if c.name == word {
			r.at = c
			return nil
		}
	}
	if r.places == len(r.at.args) {
		return fmt.Errorf("unexpected argument %s", word)
	}
	o := r.at.args[r.places]
	r.given[o] = []string{word}
	r.places++
	return nil
}

// fill sets all options on the way to the command, and returns what the
// settings file says.
func (r *reading) fill() (file map[string]any, err error) {
	for n := r.at; n != nil; n = n.parent {
		for _, o := range n.flags {
			if o.name != configFlag {
				continue
			}
			if err := r.fillOne(o, nil); err != nil {
				return nil, err
			}
			if file, err = settingsFile(o.value.String()); err != nil {
				return nil, fmt.Errorf("read the settings file: %w", err)
			}
		}
	}
	for n := r.at; n != nil; n = n.parent {
		for _, o := range slices.Concat(n.flags, n.args) {
			if err := r.fillOne(o, file); err != nil {
				return nil, fmt.Errorf("--%s: %w", o.name, err)
			}
		}
	}
	return file, nil
}

func (r *reading) fillOne(o *option, file map[string]any) error {
	if texts, said := r.given[o]; said {
		return o.set(texts...)
	}
	if text, set := os.LookupEnv(o.env); set && o.env != "" {
		return o.set(text)
	}
	value, inFile := file[o.name]
	if !inFile {
		value, inFile = file[strings.ReplaceAll(o.name, "-", "_")]
	}
	if !inFile || value == nil {
		return nil
	}
	if list, isList := value.([]any); isList {
		var texts []string
		for _, v := range list {
			texts = append(texts, fmt.Sprint(v))
		}
		return o.set(texts...)
	}
	return o.set(fmt.Sprint(value))
}

// settingsFile reads a JSON file of settings; "" is an empty one.
func settingsFile(path string) (values map[string]any, err error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	decoder := json.NewDecoder(file)
	decoder.UseNumber()
	err = decoder.Decode(&values)
	return values, err
}

// set gives an option its value. A list takes several texts, with commas or
// apart; of anything else the last one counts.
func (o *option) set(texts ...string) error {
	text := ""
	if len(texts) > 0 {
		text = texts[len(texts)-1]
	}
	if o.enum != nil && !slices.Contains(o.enum, text) {
		return fmt.Errorf("must be one of %s but is %q", strings.Join(o.enum, ", "), text)
	}
	switch v := o.value.Addr().Interface().(type) {
	case *string:
		*v = text
	case *[]string:
		*v = nil
		for _, t := range texts {
			*v = append(*v, strings.FieldsFunc(t, func(r rune) bool { return r == ',' })...)
		}
	case *int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("expected a whole number but got %q", text)
		}
		*v = n
	case *bool:
		yes, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("expected true or false but got %q", text)
		}
		*v = yes
	case *time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("expected a duration like 30s but got %q", text)
		}
		*v = d
	default:
		return fmt.Errorf("no option has the type %s", o.value.Type())
	}
	return nil
}

// usageError is a command line that makes no sense; help for its place can be
// printed.
type usageError struct {
	at  *node
	err error
}

// Error implements error.
func (e *usageError) Error() string { return e.err.Error() }

// Unwrap implements the interface of errors.Is.
func (e *usageError) Unwrap() error { return e.err }

func (n *node) names() (names []string) {
	for _, c := range n.commands {
		names = append(names, strconv.Quote(c.name))
	}
	return names
}

// printHelp writes what can be said at a place of the command line.
func (n *node) printHelp(w io.Writer) {
	path, line := "", ""
	for at := n; at != nil; at = at.parent {
		path = strings.TrimSpace(at.name + " " + path)
	}
	for _, o := range n.args {
		line += " <" + o.name + ">"
	}
	if len(n.commands) > 0 {
		line += " <command>"
	}
	_, _ = fmt.Fprintf(w, "Usage: %s%s [flags]\n\n%s\n", path, line, n.help)
	t := tabwriter.NewWriter(w, 2, 2, 2, ' ', 0)
	defer func() { _ = t.Flush() }()
	for _, o := range n.args {
		_, _ = fmt.Fprintf(t, "  <%s>\t%s\n", o.name, o.help)
	}
	if len(n.commands) > 0 {
		_, _ = fmt.Fprint(t, "\nCommands:\n")
	}
	for _, c := range n.commands {
		_, _ = fmt.Fprintf(t, "  %s\t%s\n", c.name, c.help)
	}
	_, _ = fmt.Fprint(t, "\nFlags:\n  -h, --help\tShow this text.\n")
	for at := n; at != nil; at = at.parent {
		for _, o := range at.flags {
			_, _ = fmt.Fprintf(t, "  %s\t%s\n", o.usage(), o.about())
		}
	}
}

func (o *option) usage() string {
	if o.value.Kind() == reflect.Bool {
		return "--" + o.name
	}
	return "--" + o.name + "=" + o.placeholder
}

func (o *option) about() string {
	if o.env == "" {
		return o.help
	}
	return o.help + " ($" + o.env + ")"
}
