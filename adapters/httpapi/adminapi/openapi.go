package adminapi

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/ports/policy"
)

// describe answers the description of the interface, with the address of this
// server in it.
func (s *System) describe(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	if err := s.ask(r.Context(), who, policy.SiteRead); err != nil {
		return err
	}
	servers, err := json.Marshal([]map[string]string{{"url": httpapi.ScopeOf(r.Context()).Origin()}})
	if err != nil {
		return err
	}
	parts := map[string]json.RawMessage{}
	if err := json.Unmarshal(s.Description, &parts); err != nil {
		return err
	}
	parts["servers"] = servers
	text, err := json.Marshal(parts)
	if err != nil {
		return err
	}
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(text))
	h := w.Header()
	h["Cache-Control"], h["Etag"] = []string{"no-cache"}, []string{tag}
	if content.TagIn(content.TagsOf(r.Header, "If-None-Match"), tag, false) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	httpapi.WriteBytes(w, r, http.StatusOK, content.JSONType, text)
	return nil
}
