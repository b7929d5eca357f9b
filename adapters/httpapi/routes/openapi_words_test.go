package routes

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pasteport/adapters/httpapi"
)

// tagWords say what the operations of a noun are about.
var tagWords = map[string]string{
	"account":      "The administrator's account: name, password, second factor.",
	"audit":        "Who did what, as a chain that shows what was changed or cut.",
	"backup":       "Backups of the database and of the files on the server's disk.",
	"blob":         "Bytes of storages that give no links of their own, by signed links of this server.",
	"block":        "Files of the site's front page.",
	"cache":        "What the server keeps in memory.",
	"notification": "How accounts want to be told of what is their own.",
	"channel":      "Where events of the site are told.",
	"clock":        "The server's time, which decides what has expired.",
	"collection":   "One link for several files.",
	"dashboard":    "Figures of the whole site.",
	"decision":     "The log of what the rules decided.",
	"deletion":     "Shares that somebody may take back by a secret of theirs.",
	"doctor":       "What is wrong with an installation, and what helps.",
	"door":         "Shares made and read by one line in a shell.",
	"driver":       "Which kinds of storages there are.",
	"event":        "What happened to shares, and who is told.",
	"file":         "Files shared by link, and their uploads.",
	"fs":           "Files and folders of mounts.",
	"key":          "API keys and what they may do.",
	"mount":        "Folders of the tree that stand for places in storages.",
	"paste":        "Texts shared by link.",
	"policy":       "The rules of the site.",
	"proxy":        "What other sites hold, read through this server.",
	"reconcile":    "Objects without a record and records without an object.",
	"request":      "Links through which others send files.",
	"session":      "Signing in and out.",
	"setting":      "What the administrator has set.",
	"share":        "Texts and files of everybody, for the administrator.",
	"storage":      "Storage configs: where the bytes are.",
	"system":       "What this server is and how it does.",
	"task":         "Work that outlasts a request.",
	"url":          "Files fetched from other sites.",
}

// tags are those that operations carry, with their words.
func tags(paths doc) []doc {
	used := map[string]bool{}
	for _, item := range paths {
		for _, op := range item.(doc) {
			used[op.(doc)["tags"].([]string)[0]] = true
		}
	}
	list := []doc{}
	for _, name := range sorted(used) {
		list = append(list, doc{"name": name, "description": tagWords[name]})
	}
	return list
}

// afterSentence is where the first of several sentences ends.
var afterSentence = regexp.MustCompile(`[.;:] `)

// shortly is what an operation does, in its first words.
func shortly(summary string) string {
	if at := afterSentence.FindStringIndex(summary); at != nil {
		return summary[:at[0]]
	}
	return strings.TrimSuffix(summary, ".")
}

// description tells what an operation does and what the registry knows of it: who
// may call it, what is asked besides, and how often.
func description(rt httpapi.Route, alias int) string {
	op := rt.Op
	parts := []string{op.Summary}
	if alias > 0 {
		parts = append(parts, fmt.Sprintf("The same operation as `%s %s`.", op.Method, braces.ReplaceAllString(op.Path, "{$1}")))
	}
	actions := []string{}
	for _, do := range op.Actions {
		actions = append(actions, "`"+string(do)+"`")
	}
	switch asked := strings.Join(actions, ", "); {
	case op.Signed:
		parts = append(parts, "The signed link is the authority; the rules were asked for "+asked+" when it was made.")
	case op.Public:
		parts = append(parts, "Open to everybody whom the rules allow "+asked+"; a credential that does not fit is ignored.")
	default:
		parts = append(parts, "The rules must allow "+asked+".")
	}
	switch {
	case op.Confirm.Always:
		parts = append(parts, "The administrator must have shown the password within the last hour (`confirm_required`).")
	case op.Confirm.Wanted():
		parts = append(parts, "Some requests need the administrator's password of the last hour (`confirm_required`).")
	}
	if op.Idem != httpapi.NoIdem {
		parts = append(parts, "Repeated with its `Idempotency-Key` it answers what it answered first, and does nothing again.")
	}
	switch op.Rate {
	case httpapi.ShareRead:
		parts = append(parts, "Anonymous reads are limited by address.")
	case httpapi.ShareWrite:
		parts = append(parts, "New shares are limited by API key.")
	case httpapi.URLFetch:
		parts = append(parts, "Calls to other sites are limited by API key.")
	case httpapi.RequestSend:
		parts = append(parts, "Files that are sent are limited by address.")
	}
	if op.Class == httpapi.Heavy || op.Class == httpapi.Packing {
		parts = append(parts, "Few of these run at once for one caller.")
	}
	if rt.Audited {
		parts = append(parts, "It is noted in the audit log as `"+op.Name+"`.")
	}
	return strings.Join(parts, "\n\n")
}

// Every noun of the registry has words, and every operation says in short what it
// does.
func TestTheDescriptionHasWordsForEverything(t *testing.T) {
	for _, rt := range registered().Routes() {
		noun, _, _ := strings.Cut(rt.Op.Name, ".")
		if tagWords[noun] == "" {
			t.Errorf("%s: tagWords of this file says nothing about %q; add one sentence", rt.Op.Name, noun)
		}
		if short := shortly(rt.Op.Summary); len(short) < 8 || len(short) > 200 {
			t.Errorf("%s: its summary begins with %q; want a short first sentence", rt.Op.Name, short)
		}
	}
}
