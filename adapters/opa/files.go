package opa

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"pasteport/ports/policy"
)

// Limits on what a site adds.
const (
	maxSiteBytes = 256 << 10 // of all rules
	maxDataBytes = 1 << 20   // of data.json
	maxTestBytes = 1 << 20   // of all tests
	maxSiteRules = 500
)

// basePackages are the folders of the shipped packages.
var basePackages = []string{"lib", "permissions", "authz", "site"}

// sitePrefix is the folder that a site's files seem to stand in.
const sitePrefix = "site rules"

// ruleText is the text of a set of rules, by file name.
type ruleText struct {
	rules map[string]string
	tests map[string]string // the site's
	raw   []byte            // the site's data.json
	data  map[string]any    // the data document: raw at "site"
}

// hash names a text by its content.
func (t *ruleText) hash() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(t.rules)) {
		fmt.Fprintf(h, "%q %q\n", name, t.rules[name])
	}
	fmt.Fprintf(h, "%q\n", t.raw)
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// ofSite reports whether there are rules of a site.
func (t *ruleText) ofSite() bool {
	for name := range t.rules {
		if strings.HasPrefix(name, sitePrefix+"/") {
			return true
		}
	}
	return false
}

// readRules reads the shipped rules and, when site is not nil, all .rego files
// below it and its data.json. Hidden files and folders are left out.
func readRules(base, site fs.FS) (*ruleText, error) {
	t := &ruleText{rules: map[string]string{}, tests: map[string]string{}, data: map[string]any{}}
	if base == nil {
		return nil, errors.New("there are no shipped rules")
	}
	for _, folder := range basePackages {
		names, err := fs.Glob(base, folder+"/*.rego")
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("the shipped package %s is missing", folder)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.rego") {
				continue
			}
			text, err := fs.ReadFile(base, name)
			if err != nil {
				return nil, err
			}
			t.rules[name] = string(text)
		}
	}
	if site == nil {
		return t, nil
	}
	if err := t.readSite(site); err != nil {
		return nil, fmt.Errorf("read site rules: %w", err)
	}
	return t, nil
}

// takeRules is readRules for a site whose files are in memory. Names stand for
// no folders.
func takeRules(base fs.FS, site policy.Rules) (*ruleText, error) {
	t, err := readRules(base, nil)
	if err != nil {
		return nil, err
	}
	left := map[bool]int{false: maxSiteBytes, true: maxTestBytes}
	for _, name := range slices.Sorted(maps.Keys(site)) {
		if name == "data.json" {
			if len(site[name]) > maxDataBytes {
				return nil, fmt.Errorf("%s: larger than allowed", name)
			}
			if err := t.takeData([]byte(site[name])); err != nil {
				return nil, err
			}
			continue
		}
		if !fileName.MatchString(name) {
			return nil, fmt.Errorf("%q is no name of a file of rules; it must end in .rego", name)
		}
		test := strings.HasSuffix(name, "_test.rego")
		if left[test] -= len(site[name]); left[test] < 0 {
			return nil, fmt.Errorf("%s: the files of this kind are larger than allowed", name)
		}
		if test {
			t.tests[sitePrefix+"/"+name] = site[name]
		} else {
			t.rules[sitePrefix+"/"+name] = site[name]
		}
	}
	return t, nil
}

// fileName is how files of rules in memory are called.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,59}\.rego$`)

func (t *ruleText) readSite(site fs.FS) error {
	left := map[bool]int64{false: maxSiteBytes, true: maxTestBytes}
	err := fs.WalkDir(site, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if hidden := name != "." && strings.HasPrefix(entry.Name(), "."); hidden {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() || path.Ext(name) != ".rego" {
			return nil
		}
		test := strings.HasSuffix(name, "_test.rego")
		text, err := readFile(site, name, left[test])
		if err != nil {
			return err
		}
		left[test] -= int64(len(text))
		if test {
			t.tests[sitePrefix+"/"+name] = string(text)
		} else {
			t.rules[sitePrefix+"/"+name] = string(text)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.readData(site)
}

func (t *ruleText) readData(site fs.FS) error {
	text, err := readFile(site, "data.json", maxDataBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return t.takeData(text)
}

func (t *ruleText) takeData(text []byte) error {
	var data map[string]any
	if err := json.Unmarshal(text, &data); err != nil {
		return fmt.Errorf("data.json: %w", err)
	}
	t.raw, t.data["site"] = text, data
	return nil
}

func readFile(from fs.FS, name string, limit int64) ([]byte, error) {
	f, err := from.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("%s: the files of this kind are larger than allowed", name)
	}
	return text, nil
}

var sitePackage = ast.MustParseRef("data.pasteport.site")

// checkSite checks that the site's rules stand in the site's package or below
// it, and counts them.
func checkSite(modules map[string]*ast.Module) (int, error) {
	count := 0
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		m := modules[name]
		if !strings.HasPrefix(name, sitePrefix+"/") {
			continue
		}
		if !m.Package.Path.HasPrefix(sitePackage) {
			return 0, fmt.Errorf("%s: site rules stand in package pasteport.site, not in %s", name, m.Package.Path)
		}
		count += len(m.Rules)
	}
	if count > maxSiteRules {
		return 0, fmt.Errorf("there are %d site rules, more than %d", count, maxSiteRules)
	}
	return count, nil
}
