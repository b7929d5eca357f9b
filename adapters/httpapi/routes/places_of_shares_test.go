package routes

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pasteport/adapters/httpapi"
)

// jsonNames are the names in the JSON of a struct, those of embedded ones too.
func jsonNames(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		for inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case f.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			names = append(names, jsonNames(inner)...)
		case name != "" && name != "-":
			names = append(names, name)
		}
	}
	return names
}

// structsIn calls see for every struct that a JSON value of a type holds.
func structsIn(t reflect.Type, seen map[reflect.Type]bool, see func(reflect.Type)) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		structsIn(t.Elem(), seen, see)
	case reflect.Struct:
		if data, wrapped := httpapi.DataOf(t); wrapped {
			structsIn(data, seen, see)
			return
		}
		see(t)
		for i := range t.NumField() {
			if !t.Field(i).Anonymous {
				structsIn(t.Field(i).Type, seen, see)
			}
		}
	}
}

func TestDecision68_EveryAnswerWithAShareTellsWhereItIs(t *testing.T) {
	found := 0
	for _, rt := range registered().Routes() {
		for _, res := range rt.Answers {
			structsIn(res, map[reflect.Type]bool{}, func(s reflect.Type) {
				names := jsonNames(s)
				if !slices.Contains(names, "slug") {
					return
				}
				found++
				if !slices.Contains(names, "url") || !slices.Contains(names, "rawUrl") && !slices.Contains(names, "raw_url") {
					t.Errorf("%s: %s shows a share without its addresses", rt.Op.Name, s)
				}
			})
		}
	}
	if found < 20 {
		t.Errorf("only %d answers with a share were found", found)
	}
}
