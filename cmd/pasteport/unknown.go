package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/alecthomas/kong"
)

// A name that is mistyped must not leave its default in force unnoticed.

// options are all flags of a command and of those below it, but for that of
// help.
func options(n *kong.Node) (all []*kong.Flag) {
	for _, flag := range n.Flags {
		if flag.Name != "help" {
			all = append(all, flag)
		}
	}
	for _, c := range n.Children {
		all = append(all, options(c)...)
	}
	return all
}

// known returns an error for the first name in a settings file, in the order of
// the alphabet, that is no flag of any command.
func known(app *kong.Application, file map[string]any) error {
	var names []string
	for _, o := range options(app.Node) {
		names = append(names, o.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(file)) {
		if asked := strings.ReplaceAll(name, "_", "-"); !slices.Contains(names, asked) {
			return fmt.Errorf("the settings file: there is no setting %q%s", name, hint(nearest(asked, names)))
		}
	}
	return nil
}

// ownVariables have the prefix of the settings, and are none of them: those of
// tests, the key of a client, and those that a driver's process gets.
var ownVariables = []string{"PASTEPORT_TEST_", "PASTEPORT_LIVE_", "PASTEPORT_BENCH_", "PASTEPORT_E2E_", "PASTEPORT_API_KEY", "PASTEPORT_HOST_PID", "PASTEPORT_PUBLIC_STORAGE_ONLY", "PASTEPORT_DRIVER"}

// knownVariables returns an error for a variable of the environment (NAME=VALUE)
// that is nearly one of a setting, and a warning for others with our prefix:
// Kubernetes sets PASTEPORT_PORT for a service of this name.
func knownVariables(app *kong.Application, environment []string) (warnings []string, err error) {
	var names []string
	for _, o := range options(app.Node) {
		names = append(names, o.Envs...)
	}
	slices.Sort(environment)
	for _, line := range environment {
		name, _, _ := strings.Cut(line, "=")
		if !strings.HasPrefix(name, "PASTEPORT_") || slices.Contains(names, name) ||
			slices.ContainsFunc(ownVariables, func(own string) bool { return strings.HasPrefix(name, own) }) {
			continue
		}
		if near := nearest(name, names); near != "" {
			return nil, fmt.Errorf("the environment: there is no setting %s%s", name, hint(near))
		}
		warnings = append(warnings, "the environment holds "+name+", which is no setting")
	}
	return warnings, nil
}

func hint(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", name)
}

// nearest returns the one of names that was meant by name, "" when none is near:
// a third of the letters after the prefix may differ, or words follow.
func nearest(name string, names []string) string {
	best, fewest := "", 0
	for _, candidate := range names {
		letters := len(strings.TrimPrefix(candidate, "PASTEPORT_"))
		changes := levenshtein.ComputeDistance(name, candidate)
		if changes <= max(1, letters/3) && (best == "" || changes < fewest) {
			best, fewest = candidate, changes
		}
	}
	if best != "" {
		return best
	}
	for _, candidate := range names {
		if strings.HasPrefix(name, candidate) && len(candidate) > len(best) {
			best = candidate
		}
	}
	return best
}
