package wire

import (
	"context"
	"strings"

	"pasteport/ports/revision"
)

// KeyNames returns the names of API keys by id. Ids of deleted keys are absent.
type KeyNames func(ctx context.Context, ids []string) (map[string]string, error)

// Of returns the names of the keys that created or edited n things, by the
// created_by of each.
func (names KeyNames) Of(ctx context.Context, n int, createdBy func(i int) string) (map[string]*string, error) {
	var ids []string
	for i := range n {
		if id, ok := strings.CutPrefix(createdBy(i), "apikey:"); ok {
			ids = append(ids, id)
		}
	}
	out := map[string]*string{}
	if len(ids) == 0 || names == nil {
		return out, nil
	}
	found, err := names(ctx, ids)
	for id, name := range found {
		out["apikey:"+id] = &name
	}
	return out, err
}

// Revision is a content that a text or a file has or had.
type Revision struct {
	Version  int64   `json:"version"`
	Size     int64   `json:"size"`      // bytes
	EditedBy string  `json:"edited_by"` // empty when it is not known
	KeyName  *string `json:"key_name,omitempty"`
	EditedAt string  `json:"edited_at"`
}

// Revisions are contents with the names of the keys that wrote them.
func Revisions(ctx context.Context, names KeyNames, all ...revision.Revision) ([]Revision, error) {
	found, err := names.Of(ctx, len(all), func(i int) string { return all[i].EditedBy })
	if err != nil {
		return nil, err
	}
	rows := make([]Revision, len(all))
	for i, r := range all {
		rows[i] = Revision{Version: r.Version, Size: r.Size, EditedBy: r.EditedBy, KeyName: found[r.EditedBy], EditedAt: ISO(r.EditedAt)}
	}
	return rows, nil
}

// History is what is kept of earlier contents.
type History struct {
	Keep      bool       `json:"keep"` // whether edits keep what they replace
	Current   Revision   `json:"current"`
	Revisions []Revision `json:"revisions"` // newest first
}

// Keeping says whether edits keep what they replace.
type Keeping struct {
	Keep bool `json:"keep"`
}

// HistoryOf is a history with the names of the keys that wrote its contents.
func HistoryOf(ctx context.Context, names KeyNames, h revision.History) (History, error) {
	rows, err := Revisions(ctx, names, append([]revision.Revision{h.Current}, h.Earlier...)...)
	if err != nil {
		return History{}, err
	}
	return History{Keep: !h.Off, Current: rows[0], Revisions: rows[1:]}, nil
}
