package httpapi

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"pasteport/adapters/httpapi/edgetest"
	"pasteport/adapters/httpapi/wire"
)

// Values that look like a truth value and are none (contract §1.5).
var (
	noFlags = []string{`"TRUE"`, `"True"`, `"yes"`, `"on"`, `""`, `" true"`, `null`, `2`, `-1`, `1.5`, `"null"`, `[true]`, `{}`}
	flags   = map[string]bool{`true`: true, `1`: true, `"true"`: true, `"1"`: true, `false`: false, `0`: false, `"false"`: false, `"0"`: false}
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
	for _, rt := range f.routes {
		if rt.op.Body != JSON && rt.op.Body != BigJSON {
			continue
		}
		for _, m := range membersOf(rt.req) {
			if k := m.typ.Kind(); k == reflect.Bool && !isFlag(m.typ) || k == reflect.Pointer && m.typ.Elem().Kind() == reflect.Bool {
				t.Errorf("%s: %s is a %s, which takes null for false; it must be a Flag", rt.op.Name, m.name, m.typ)
			}
			if !isFlag(m.typ) {
				continue
			}
			found++
			for _, value := range noFlags {
				a := f.Call(rt.op.Method, example(rt.op.Path), m.body(value), "Authorization", edgetest.AsAdmin)
				if a.Result().StatusCode != 400 || a.Error != "invalid_argument" {
					t.Errorf("%s: %s: %d %s", rt.op.Name, m.body(value), a.Result().StatusCode, a.Body)
				}
			}
			for text, want := range flags {
				v := reflect.New(m.typ)
				if err := json.Unmarshal([]byte(text), v.Interface()); err != nil || !strings.Contains(fmt.Sprint(v.Elem()), fmt.Sprint(want)) {
					t.Errorf("%s: %s %s: %v, %v", rt.op.Name, m.name, text, v.Elem(), err)
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
	for _, rt := range f.routes {
		for _, field := range fieldsOf(rt.req) {
			tag := field.Tag.Get("query")
			name, option, _ := strings.Cut(tag, ",")
			if !isFlag(field.Type) || name == "" || option == "lenient" {
				continue
			}
			found++
			for _, value := range []string{"TRUE", "yes", "null", " true", "2"} {
				a := f.Call(rt.op.Method, example(rt.op.Path)+"?"+name+"="+url.QueryEscape(value), "", "Authorization", edgetest.AsAdmin)
				if a.Result().StatusCode != 400 || a.Error != "invalid_argument" {
					t.Errorf("%s: %s=%s: %d %s", rt.op.Name, name, value, a.Result().StatusCode, a.Body)
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d flags found", found)
	}
}

func TestContract4_2_ASettingThatIsNoTruthValueIsRefusedAndNothingIsSaved(t *testing.T) {
	h := newHouse(t)
	admin := h.signIn()
	h.want("on", h.Call("PUT", "/api/admin/settings/group/1", `{"share_password_required":true}`, "Authorization", admin), 200, "")
	before := h.Call("GET", "/api/admin/settings?group=1&metadata=false", "", "Authorization", admin)
	for _, query := range []string{"", "?validate=false"} {
		for _, key := range []string{"proxy_sign_all", "share_password_required", "default_use_proxy"} {
			for _, value := range noFlags {
				a := h.Call("PUT", "/api/admin/settings/group/1"+query, `{"max_upload_size":7,"`+key+`":`+value+`}`, "Authorization", admin)
				h.want(key+" "+value+query, a, 400, "invalid_argument")
				if !strings.Contains(a.Message, key) {
					t.Errorf("the message names no setting: %s", a.Message)
				}
			}
		}
	}
	if after := h.Call("GET", "/api/admin/settings?group=1&metadata=false", "", "Authorization", admin); string(after.Data) != string(before.Data) {
		t.Errorf("saved all the same: %s", after.Data)
	}
}

func TestAnOptionOfADriverThatIsNoTruthValueIsRefused(t *testing.T) {
	h := newHouse(t)
	admin := h.signIn()
	body := func(value string) string {
		return `{"name":"n","driver":"s3","endpoint_url":"https://s3.example","bucket_name":"b","access_key_id":"k","secret_access_key":"s","options":{"path_style":` + value + `}}`
	}
	for _, value := range []string{`"TRUE"`, `"t"`, `"yes"`, `2`} {
		h.want(value, h.Call("POST", "/api/s3-configs", body(value), "Authorization", admin), 400, "invalid_argument")
	}
	for value, want := range flags {
		a := h.Call("POST", "/api/s3-configs", body(value), "Authorization", admin)
		if a.Code != 201 || !strings.Contains(string(a.Data), fmt.Sprintf(`"path_style":%t`, want)) {
			t.Errorf("%s: %s", value, a.Body)
		}
	}
}
