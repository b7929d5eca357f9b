package notify

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strings"

	"pasteport/domain/events"
)

// published is a message as ntfy takes it at its root: docs.ntfy.sh/publish, "Publish
// as JSON". In the body nothing can become a header.
type published struct {
	Topic   string `json:"topic"`
	Title   string `json:"title"`
	Message string `json:"message"`
	Click   string `json:"click,omitempty"`
}

// ntfy writes a message for a topic of an ntfy server.
func (s *Sender) ntfy(to events.Target, m events.Message) (string, http.Header, []byte, error) {
	u, err := url.Parse(to.Address)
	if err != nil {
		return "", nil, nil, err
	}
	before, topic := path.Split(strings.TrimRight(u.Path, "/"))
	u.Path, u.RawPath = before, ""
	t := s.compose(to.Options.Language, m)
	body, err := json.Marshal(published{topic, t.subject(), cut(t.body(), maxPushed), t.Link})
	header := http.Header{"Content-Type": {"application/json"}}
	if len(to.Secrets) > 0 {
		header.Set("Authorization", "Bearer "+string(to.Secrets[0]))
	}
	return u.String(), header, body, err
}

// maxPushed bounds the text of a message on a phone, in characters: ntfy takes 4,096
// bytes.
const maxPushed = 1000

// gotify writes a message for an application of a Gotify server:
// gotify.net/api-docs, createMessage, and gotify.net/docs/msgextras.
func (s *Sender) gotify(to events.Target, m events.Message) (string, http.Header, []byte, error) {
	t := s.compose(to.Options.Language, m)
	extras := map[string]any{"client::display": map[string]string{"contentType": "text/plain"}}
	if t.Link != "" {
		extras["client::notification"] = map[string]any{"click": map[string]string{"url": t.Link}}
	}
	body, err := json.Marshal(map[string]any{"title": t.subject(), "message": cut(t.body(), maxPushed), "priority": 5, "extras": extras})
	header := http.Header{"Content-Type": {"application/json"}}
	if len(to.Secrets) > 0 {
		header.Set("X-Gotify-Key", string(to.Secrets[0]))
	}
	return strings.TrimRight(to.Address, "/") + "/message", header, body, err
}
