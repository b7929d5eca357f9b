package routes

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/wire"
)

// member is a field somewhere in a body: body puts a value in its place.
type member struct {
	name string
	typ  reflect.Type
	body func(value string) string
}

// membersOf walks over the fields of a request's body, those of lists and
// objects inside included.
func membersOf(t reflect.Type) (list []member) {
	for _, f := range fieldsOf(t) {
		tag, ok := f.Tag.Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		if !ok || name == "-" || name == "*" {
			continue
		}
		wrap := func(inner string) string { return `{"` + name + `":` + inner + `}` }
		list = append(list, member{name, f.Type, wrap})
		typ, in := f.Type, wrap
		if strings.HasPrefix(typ.Name(), "Opt[") {
			value, _ := typ.FieldByName("Value")
			typ = value.Type
		}
		for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
			if typ.Kind() == reflect.Slice {
				in = func(inner string) string { return wrap("[" + inner + "]") }
			}
			typ = typ.Elem()
		}
		for _, deep := range membersOf(typ) {
			list = append(list, member{name + "." + deep.name, deep.typ, func(value string) string { return in(deep.body(value)) }})
		}
	}
	return list
}

func isFlag(t reflect.Type) bool {
	return t == reflect.TypeFor[wire.Flag]() || t == reflect.TypeFor[wire.Opt[wire.Flag]]()
}

// A truth value that is none would be stored as false, and what it should
// protect would stand open.
func TestEveryFlagOfABodyTakesOnlyTruthValues(t *testing.T) {
	f := productOf(t)
	found := 0
	for _, rt := range f.Routes() {
		if rt.Op.Body != httpapi.JSON && rt.Op.Body != httpapi.BigJSON {
			continue
		}
		for _, m := range membersOf(rt.Request) {
			if k := m.typ.Kind(); k == reflect.Bool && !isFlag(m.typ) || k == reflect.Pointer && m.typ.Elem().Kind() == reflect.Bool {
				t.Errorf("%s: %s is a %s, which takes null for false; it must be a Flag", rt.Op.Name, m.name, m.typ)
			}
			if !isFlag(m.typ) {
				continue
			}
			found++
			for _, value := range edgetest.NoFlags {
				a := f.Call(rt.Op.Method, example(rt.Op.Path), m.body(value), "Authorization", edgetest.AsAdmin)
				if a.Result().StatusCode != 400 || a.Error != "invalid_argument" {
					t.Errorf("%s: %s: %d %s", rt.Op.Name, m.body(value), a.Result().StatusCode, a.Body)
				}
			}
			for text, want := range edgetest.Flags {
				v := reflect.New(m.typ)
				if err := json.Unmarshal([]byte(text), v.Interface()); err != nil || !strings.Contains(fmt.Sprint(v.Elem()), fmt.Sprint(want)) {
					t.Errorf("%s: %s %s: %v, %v", rt.Op.Name, m.name, text, v.Elem(), err)
				}
			}
		}
	}
	if found < 14 {
		t.Errorf("only %d flags found", found)
	}
}

func TestEveryFlagOfAQueryTakesOnlyTruthValues(t *testing.T) {
	f := productOf(t)
	found := 0
	for _, rt := range f.Routes() {
		for _, field := range fieldsOf(rt.Request) {
			tag := field.Tag.Get("query")
			name, option, _ := strings.Cut(tag, ",")
			if !isFlag(field.Type) || name == "" || option == "lenient" {
				continue
			}
			found++
			for _, value := range []string{"TRUE", "yes", "null", " true", "2"} {
				a := f.Call(rt.Op.Method, example(rt.Op.Path)+"?"+name+"="+url.QueryEscape(value), "", "Authorization", edgetest.AsAdmin)
				if a.Result().StatusCode != 400 || a.Error != "invalid_argument" {
					t.Errorf("%s: %s=%s: %d %s", rt.Op.Name, name, value, a.Result().StatusCode, a.Body)
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d flags found", found)
	}
}
