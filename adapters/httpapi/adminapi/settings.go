package adminapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/settings"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// settingOps are the calls about what the operator has set (contract §10.4).
func settingOps(a *httpapi.API, s *settings.Settings) {
	read := []policy.Action{policy.SettingsRead}

	httpapi.Handle(a, httpapi.Op{Name: "setting.list", Method: http.MethodGet, Path: "/api/admin/settings", Public: true,
		Actions: []policy.Action{policy.SiteRead, policy.SettingsRead},
		Summary: "Reads the settings of a group, which everybody may; or all of them, which the administrator may."},
		func(ctx context.Context, who policy.Principal, in settingsRequest) (any, error) {
			if !in.Group.Set {
				all, err := s.All(ctx, who, bool(in.IncludeSystem))
				return byGroup(ctx, all), err
			}
			rows, err := s.Group(ctx, who, in.Group.Value)
			if err == nil && who.Kind == policy.Admin {
				httpapi.ScopeOf(ctx).Header().Set("ETag", settings.ETag(rows))
			}
			if in.Metadata.Set && !bool(in.Metadata.Value) {
				return pairsOf(rows), err
			}
			return rowsOf(ctx, rows), err
		})

	httpapi.Describe(a, "setting.list", settingsRequest{}, []settingJSON{}, []pairJSON{}, map[string][]settingJSON{})

	httpapi.Handle(a, httpapi.Op{Name: "setting.groups", Method: http.MethodGet, Path: "/api/admin/settings/groups", Actions: read,
		Summary: "Lists the groups of settings."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (groupsData, error) {
			groups, err := s.Groups(ctx, who)
			out := groupsData{Groups: make([]groupJSON, len(groups))}
			for i, g := range groups {
				out.Groups[i] = groupJSON{ID: g.ID, Name: g.Name.In(httpapi.ScopeOf(ctx).Language()), SettingCount: g.Settings, ReadonlyCount: g.ReadOnly}
			}
			return out, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "setting.metadata", Method: http.MethodGet, Path: "/api/admin/settings/metadata", Actions: read, Errors: []string{"not_found"},
		Summary: "Describes one setting."},
		func(ctx context.Context, who policy.Principal, in metadataRequest) (settingJSON, error) {
			row, err := s.Metadata(ctx, who, in.Key)
			if err != nil && in.Key == "" && ports.Is(err, ports.NotFound) {
				return settingJSON{}, ports.InvalidInput("settings.key_missing", "key")
			}
			return rowOf(ctx, row), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "setting.update", Method: http.MethodPut, Path: "/api/admin/settings/group/{group}", Body: httpapi.JSON, Idem: httpapi.Afterwards,
		Actions: []policy.Action{policy.SettingsWrite}, Confirm: httpapi.ConfirmIf(changesScripts(s)), Errors: []string{"precondition_failed"},
		Summary: "Saves settings of a group; those that are not valid come back as errors and the others are saved. With If-Match nothing is, unless the group still has that entity tag."},
		func(ctx context.Context, who policy.Principal, in changeRequest) (httpapi.Answer[updateData], error) {
			before := map[string]string{}
			for name := range in.Values {
				before[name] = s.Values().Text(name)
			}
			httpapi.ScopeOf(ctx).Note("before", before)
			unchecked := in.Validate.Set && !bool(in.Validate.Value)
			done, err := s.Update(ctx, who, settings.Change{Group: in.Group, Values: in.Values, Unchecked: unchecked, IfMatch: httpapi.ScopeOf(ctx).IfMatch()})
			if err != nil {
				return httpapi.Answer[updateData]{}, err
			}
			if done.ETag != "" {
				httpapi.ScopeOf(ctx).Header().Set("ETag", done.ETag)
			}
			return updateOf(ctx, in.Group, done), nil
		})
}

// scripts are the settings that run in every visitor's browser, and the one that
// says where backups go: changing one needs a fresh password (security rule H1).
var scripts = []string{"site_custom_head", "site_custom_body", "backup_storage"}

// changesScripts reports whether a request changes one of them.
func changesScripts(s *settings.Settings) func(context.Context, changeRequest) (bool, error) {
	return func(_ context.Context, in changeRequest) (bool, error) {
		for _, name := range scripts {
			if value, sent := in.Values[name]; sent && value != s.Values().Text(name) {
				return true, nil
			}
		}
		return false, nil
	}
}

type settingsRequest struct {
	Group         wire.Opt[int]       `query:"group"`
	Metadata      wire.Opt[wire.Flag] `query:"metadata,lenient"` // absent means true
	IncludeSystem wire.Flag           `query:"includeSystem,lenient"`
}

type metadataRequest struct {
	Key string `query:"key"`
}

type changeRequest struct {
	Group    int                 `path:"group"`
	Validate wire.Opt[wire.Flag] `query:"validate,lenient"`
	Values   map[string]any      `json:"*"`
}

type groupsData struct {
	Groups []groupJSON `json:"groups"`
}

type groupJSON struct {
	ID            int    `json:"id"`
	Name          string `json:"name"`
	SettingCount  int    `json:"settingCount"`
	ReadonlyCount int    `json:"readonlyCount"`
}

type pairJSON struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// settingJSON is a setting row (contract §3.6).
type settingJSON struct {
	Key         string       `json:"key"`
	Value       string       `json:"value"`
	Description string       `json:"description"`
	Type        string       `json:"type"`
	GroupID     int          `json:"group_id"`
	Options     *string      `json:"options"` // a JSON array as text, or null
	SortOrder   int          `json:"sort_order"`
	Flags       int          `json:"flags"`
	CreatedAt   wire.Instant `json:"created_at"`
	UpdatedAt   wire.Instant `json:"updated_at"`
}

type updateData struct {
	GroupID      int           `json:"groupId"`
	UpdatedCount int           `json:"updatedCount"`
	TotalCount   int           `json:"totalCount"`
	Errors       []problemJSON `json:"errors"`
	Success      bool          `json:"success"`
	Message      string        `json:"message"`
}

type problemJSON struct {
	Key   string `json:"key"`
	Error string `json:"error"`
}

func rowOf(ctx context.Context, row settings.Row) settingJSON {
	lang := httpapi.ScopeOf(ctx).Language()
	return settingJSON{Key: row.Key, Value: row.Value, Description: row.Description.In(lang), Type: string(row.Type), GroupID: row.Group,
		Options: optionsText(row.Options, lang), SortOrder: row.Sort, Flags: int(row.Flag), CreatedAt: wire.Instant(row.CreatedAt), UpdatedAt: wire.Instant(row.UpdatedAt)}
}

func rowsOf(ctx context.Context, rows []settings.Row) []settingJSON {
	out := make([]settingJSON, len(rows))
	for i, row := range rows {
		out[i] = rowOf(ctx, row)
	}
	return out
}

func byGroup(ctx context.Context, groups map[int][]settings.Row) map[string][]settingJSON {
	out := make(map[string][]settingJSON, len(groups))
	for id, rows := range groups {
		out[strconv.Itoa(id)] = rowsOf(ctx, rows)
	}
	return out
}

// pairsOf is the short form, by key.
func pairsOf(rows []settings.Row) []pairJSON {
	out := make([]pairJSON, len(rows))
	for i, row := range rows {
		out[i] = pairJSON{row.Key, row.Value}
	}
	slices.SortFunc(out, func(a, b pairJSON) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// optionsText is the choices as JSON text, nil for a setting without any.
func optionsText(options []settings.Option, lang string) *string {
	if len(options) == 0 {
		return nil
	}
	type choice struct {
		Value string `json:"value"`
		Label string `json:"label"`
	}
	choices := make([]choice, len(options))
	for i, o := range options {
		choices[i] = choice{o.Value, o.Label.In(lang)}
	}
	data, err := json.Marshal(choices)
	if err != nil { // two strings
		panic(err)
	}
	text := string(data)
	return &text
}

// updateOf reports what was saved and what was not, in the caller's language.
func updateOf(ctx context.Context, group int, done settings.Update) httpapi.Answer[updateData] {
	scope := httpapi.ScopeOf(ctx)
	data := updateData{GroupID: group, UpdatedCount: done.Updated, TotalCount: done.Total, Success: len(done.Problems) == 0, Errors: []problemJSON{}}
	for _, p := range done.Problems {
		data.Errors = append(data.Errors, problemJSON{p.Key, scope.Text(p.Error.Params, p.Error.Text, p.Error.Key)})
	}
	text := "settings.saved"
	if !data.Success {
		text = "validation_incomplete"
	}
	data.Message = scope.Text(nil, text)
	return httpapi.Answer[updateData]{Data: data, Partial: !data.Success, Text: text}
}
