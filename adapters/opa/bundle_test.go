package opa

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/rego"

	"pasteport/ports"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

var packed = policy.Rules{
	"site.rego":      "package pasteport.site\n\n# METADATA\n# title: No programs\ndeny contains {\"code\": \"programs\", \"message\": data.site.words.programs} if input.action == \"paste.create\"\n",
	"more.rego":      "package pasteport.site.more\n\nyes := true\n",
	"site_test.rego": "package pasteport.site_test\n\nimport data.pasteport.site\n\ntest_x if count(site.deny) == 1 with input as {\"action\": \"paste.create\"}\n",
	"data.json":      "{\n  \"big\": 12345678901234567,\n  \"words\": {\n    \"programs\": \"No.\"\n  }\n}\n",
}

func TestABundleIsUnpackedAsItWasPacked(t *testing.T) {
	bytesOf, err := Bundles{}.Pack("abc", packed)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Bundles{}.Unpack(bytes.NewReader(bytesOf))
	if err != nil || !maps.Equal(got, packed) {
		t.Errorf("unpacked: %v\n%q", err, got)
	}
	again, err := Bundles{}.Pack("abc", got)
	if err != nil || !bytes.Equal(again, bytesOf) {
		t.Errorf("packed again it has other bytes (%v)", err)
	}
}

func TestABundleAnswersInOpenPolicyAgentItself(t *testing.T) {
	bytesOf, err := Bundles{}.Pack("abc", packed)
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/rules.tar.gz"
	if err := os.WriteFile(file, bytesOf, 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := rego.New(rego.LoadBundle(file), rego.Query("data.pasteport.site.deny[x].message"), rego.Input(map[string]any{"action": "paste.create"})).Eval(t.Context())
	if err != nil || len(set) != 1 || set[0].Expressions[0].Value != "No." {
		t.Errorf("%v %v", set, err)
	}
}

func TestWhatIsNoBundleIsRefused(t *testing.T) {
	portstest.OnlyWithoutRaces(t)
	site := "package pasteport.site\n"
	for name, one := range map[string]struct {
		packed []byte
		cause  string
	}{
		"no archive":       {[]byte("package pasteport.site"), "gzip"},
		"cut off":          {archive(t, "site.rego", site)[:60], "EOF"},
		"data elsewhere":   {archive(t, "data.json", `{"users": {}}`), `data at "users"`},
		"not Rego":         {archive(t, "site.rego", "package pasteport.site\n\ndeny contains {"), "rego_parse_error"},
		"one name twice":   {archive(t, "a/b.rego", site, "a_b.rego", site), "a_b.rego"},
		"a bomb":           {archive(t, "site.rego", site, "data.json", `{"site": "`+strings.Repeat("a", 200<<20)+`"}`), "larger than"},
		"a large file":     {archive(t, "site.rego", site+strings.Repeat("#", 2<<20)), "size"},
		"beyond its roots": {archive(t, ".manifest", `{"roots": ["other"]}`, "site.rego", site), "roots"},
	} {
		_, err := Bundles{}.Unpack(bytes.NewReader(one.packed))
		var e *ports.Error
		if !errors.As(err, &e) || e.Code != ports.Invalid || e.Key != "policy_bundle" || !strings.Contains(e.Params["cause"].(string), one.cause) {
			t.Errorf("%s: %v, want a cause with %q", name, err, one.cause)
		}
	}
}

// archive packs names and texts as tar and gzip.
func archive(t *testing.T, namesAndTexts ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	files := tar.NewWriter(zip)
	for i := 0; i < len(namesAndTexts); i += 2 {
		if err := files.WriteHeader(&tar.Header{Name: namesAndTexts[i], Mode: 0o644, Size: int64(len(namesAndTexts[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write([]byte(namesAndTexts[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
