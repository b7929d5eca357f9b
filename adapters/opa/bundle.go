package opa

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/util"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// maxBundleBytes is how large a bundle may be once it is unpacked: all that a
// site may add, and the headers of its files.
const maxBundleBytes = 4 << 20

// Bundles packs the rules of a site as the bundles of Open Policy Agent, and
// unpacks those that its own tools made. It fits policy.Bundles.
type Bundles struct{}

// Pack packs rules under the name of a revision. The data document of the site
// stands at "site" in it, as the rules read it.
func (Bundles) Pack(revision string, rules policy.Rules) ([]byte, error) {
	b := bundle.Bundle{Data: map[string]any{}}
	roots := []string{"site"}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		text := []byte(rules[name])
		if name == "data.json" {
			var data map[string]any
			if err := util.UnmarshalJSON(text, &data); err != nil {
				return nil, fmt.Errorf("pack data.json: %w", err)
			}
			b.Data["site"] = data
			continue
		}
		module, err := ast.ParseModule(name, rules[name])
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
		b.Modules = append(b.Modules, bundle.ModuleFile{Path: "/" + name, Raw: text, Parsed: module})
		roots = append(roots, strings.Join(packagePath(module), "/"))
	}
	b.Manifest = bundle.Manifest{Revision: revision, Roots: new(outermost(roots)), RegoVersion: new(ast.RegoV1.Int())}
	var packed bytes.Buffer
	err := bundle.Write(&packed, b)
	return packed.Bytes(), err
}

// Unpack reads a bundle. Folders become a part of the names of the files, as in
// a folder of rules. Returns Invalid for what is no bundle, is larger than a
// site may be, or holds more than the rules and the data of a site.
func (Bundles) Unpack(r io.Reader) (policy.Rules, error) {
	packed, err := io.ReadAll(io.LimitReader(r, maxBundleBytes+1))
	if err != nil {
		return nil, err
	}
	if err := unpackable(packed); err != nil {
		return nil, notABundle(err)
	}
	b, err := bundle.NewReader(bytes.NewReader(packed)).WithSkipBundleVerification(true).WithRegoVersion(ast.RegoV1).WithSizeLimitBytes(maxDataBytes + 1).Read()
	if err != nil {
		return nil, notABundle(err)
	}
	rules := policy.Rules{}
	for _, m := range b.Modules {
		name := strings.ReplaceAll(strings.Trim(m.Path, "/"), "/", "_")
		if _, twice := rules[name]; twice {
			return nil, notABundle(fmt.Errorf("two files are called %s", name))
		}
		rules[name] = string(m.Raw)
	}
	for name, data := range b.Data {
		if name != "site" {
			return nil, notABundle(fmt.Errorf("it holds data at %q; the data of a site stands at \"site\"", name))
		}
		text, err := json.MarshalIndent(data, "", "  ")
		if err != nil {
			return nil, err
		}
		rules["data.json"] = string(text) + "\n"
	}
	return rules, nil
}

// unpackable reports why a bundle cannot be unpacked within its bounds.
func unpackable(packed []byte) error {
	tar, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	size, err := io.Copy(io.Discard, io.LimitReader(tar, maxBundleBytes+1))
	if err == nil && size > maxBundleBytes {
		err = fmt.Errorf("it is larger than %d bytes", maxBundleBytes)
	}
	return err
}

func notABundle(cause error) error {
	return &ports.Error{Code: ports.Invalid, Key: "policy_bundle", Params: map[string]any{"cause": cause.Error()}, Cause: cause}
}

// packagePath returns the names of a module's package, without "data".
func packagePath(m *ast.Module) []string {
	var path []string
	for _, term := range m.Package.Path[1:] {
		path = append(path, strings.Trim(term.Value.String(), `"`))
	}
	return path
}

// outermost leaves out the roots that stand below others: a manifest takes none twice.
func outermost(roots []string) []string {
	slices.Sort(roots)
	var kept []string
	for _, root := range roots {
		if !bundle.RootPathsContain(kept, root) {
			kept = append(kept, root)
		}
	}
	return kept
}
