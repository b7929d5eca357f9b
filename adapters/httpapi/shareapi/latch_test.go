package shareapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"pasteport/adapters/httpapi/edgetest"
)

// latchFields are the fields of a request that say who may open a share, and how
// its end moves.
type latchFields map[string]any

// json are the fields behind others in a JSON object.
func (f latchFields) json() (text string) {
	for name, value := range f {
		written, _ := json.Marshal(value)
		text += fmt.Sprintf(`,%q:%s`, name, written)
	}
	return text
}

// texts are the fields of a form or a query.
func (f latchFields) texts() url.Values {
	q := url.Values{}
	for name, value := range f {
		q.Set(name, fmt.Sprint(value))
	}
	return q
}

// made is a call that makes a share, of the name "made", with fields of a latch.
type made struct {
	kind string
	read string // how a visitor opens it
	call func(s *site, f latchFields) edgetest.Answer
}

// latchedCreates are the calls that make a share.
var latchedCreates = map[string]made{
	"paste": {"paste", "/api/paste/made", func(s *site, f latchFields) edgetest.Answer {
		return s.post("/api/paste", asKeyA, `{"content":"x","slug":"made"`+f.json()+`}`)
	}},
	"presigned file": {"file", "/api/public/files/made", func(s *site, f latchFields) edgetest.Answer {
		a := s.post("/api/s3/presign", asKeyA, `{"s3_config_id":"public","filename":"a.txt","size":1,"slug":"made"`+f.json()+`}`)
		if a.ResponseRecorder.Code != 200 {
			return a
		}
		place := s.data(a)
		s.put(place["upload_url"].(string), "x")
		return s.post("/api/s3/commit", asKeyA, `{"file_id":"`+place["file_id"].(string)+`"}`)
	}},
	"file in parts": {"file", "", func(s *site, f latchFields) edgetest.Answer {
		return s.post("/api/s3/multipart/init", asKeyA, `{"s3_config_id":"public","filename":"a.txt","size":1,"slug":"made"`+f.json()+`}`)
	}},
	"file in one request": {"file", "/api/public/files/made", func(s *site, f latchFields) edgetest.Answer {
		return s.send("PUT", "/api/upload-direct/a.txt?slug=made&"+f.texts().Encode(), strings.NewReader("x"), 1, "Authorization", asKeyA)
	}},
	"file of a form": {"file", "/api/public/files/made", func(s *site, f latchFields) edgetest.Answer {
		entries := []string{"slug", "made"}
		for name, value := range f {
			entries = append(entries, name, fmt.Sprint(value))
		}
		return s.form("a.txt", append(entries, "file", "x")...)
	}},
	"text by one line": {"paste", "/api/paste/made", func(s *site, f latchFields) edgetest.Answer {
		return s.send("POST", "/?slug=made&"+f.texts().Encode(), strings.NewReader("x"), 1, "Authorization", asKeyA, "Content-Type", "text/plain", "Accept", "application/json")
	}},
	"collection": {"collection", "/api/public/collections/made", func(s *site, f latchFields) edgetest.Answer {
		id := s.upload("item.txt", "", "x")["id"].(string)
		return s.post("/api/collections", asKeyA, `{"slug":"made","file_ids":["`+id+`"]`+f.json()+`}`)
	}},
}

// access is what the edit shows of the one share that a call has made.
func (s *site) access(m made) edgetest.Object {
	s.T.Helper()
	var id string
	ctx := s.T.Context()
	switch m.kind {
	case "paste":
		p, err := s.db.Pastes().BySlug(ctx, "made")
		if err != nil {
			s.T.Fatal(err)
		}
		id = p.ID
	case "file":
		f, err := s.db.Files().BySlug(ctx, "made")
		if err != nil {
			s.T.Fatal(err)
		}
		id = f.ID
	default:
		c, err := s.db.Collections().BySlug(ctx, "made")
		if err != nil {
			s.T.Fatal(err)
		}
		id = c.ID
	}
	return s.data(s.Call("GET", "/api/shares/"+m.kind+"/"+id+"/access", "", "Authorization", asKeyA))
}

func TestAShareIsMadeForKeysOnlyWithAnEndThatMoves(t *testing.T) {
	for name, m := range latchedCreates {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			a := m.call(s, latchFields{"key_only": true, "sliding_days": 3, "sliding_until": "2026-11-25T08:00:00Z"})
			if a.ResponseRecorder.Code != 200 {
				t.Fatalf("%d %s", a.ResponseRecorder.Code, a.Body)
			}
			got := s.access(m)
			if got["key_only"] != true || got["sliding_days"] != 3.0 || got["sliding_until"] != "2026-11-25T08:00:00.000Z" || got["expires_at"] != "2026-11-24T08:00:00.000Z" {
				t.Errorf("the edit shows %v", got)
			}
			if m.read == "" {
				return
			}
			s.wantError(s.Call("GET", m.read, ""), 401, "key_required", "")
			s.clock.Add(48 * time.Hour)
			if a := s.Call("GET", m.read, "", "Authorization", asKeyB); a.ResponseRecorder.Code != 200 {
				t.Errorf("with a key: %d %s", a.ResponseRecorder.Code, a.Body)
			}
			for _, flush := range []func(context.Context) error{s.pastes.Flush, s.files.Flush, s.sets.Flush} {
				if err := flush(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got := s.access(m); got["expires_at"] != "2026-11-25T08:00:00.000Z" {
				t.Errorf("opened two days later it ends %v", got["expires_at"])
			}
		})
	}
}

func TestANewShareRefusesALatchAsTheEditDoes(t *testing.T) {
	for name, m := range latchedCreates {
		for fields, want := range map[string]latchFields{
			"sliding_days":  {"sliding_days": 3651},
			"too few":       {"sliding_days": -1},
			"sliding_until": {"sliding_days": 3, "sliding_until": "2026-11-20T08:00:00Z"},
			"no end moves":  {"sliding_until": "2026-11-20T08:00:00Z"},
		} {
			s := newSite(t)
			edited := s.paste(`{"content":"x"}`)["id"].(string)
			edit := s.Call("PUT", "/api/shares/paste/"+edited+"/access", "{"+want.json()[1:]+"}", "Authorization", asKeyA)
			a := m.call(s, want)
			if a.ResponseRecorder.Code != 400 || a.Error != edit.Error || a.Message != edit.Message {
				t.Errorf("%s, %s: %d %s; the edit says %s", name, fields, a.ResponseRecorder.Code, a.Body, edit.Body)
			}
		}
		s := newSite(t)
		s.settings.limits.MaxAge = 48 * time.Hour
		if a := m.call(s, latchFields{"sliding_days": 1, "sliding_until": "2026-12-24T08:00:00Z"}); a.ResponseRecorder.Code != 403 {
			t.Errorf("%s, past the limit of the site: %d %s", name, a.ResponseRecorder.Code, a.Body)
		}
		if a := m.call(s, latchFields{"sliding_days": 30}); a.ResponseRecorder.Code != 200 {
			t.Errorf("%s, within the limit of the site: %d %s", name, a.ResponseRecorder.Code, a.Body)
		} else if got := s.access(m); got["sliding_until"] != "2026-11-23T08:00:00.000Z" || got["expires_at"] != got["sliding_until"] {
			t.Errorf("%s within the limit of the site: %v", name, got)
		}
	}
}

func TestAShareWithoutALatchIsForEverybodyAndItsEndStays(t *testing.T) {
	for name, m := range latchedCreates {
		s := newSite(t)
		m.call(s, latchFields{"key_only": false, "sliding_days": 0})
		if got := s.access(m); got["key_only"] != false || got["sliding_days"] != 0.0 || got["sliding_until"] != nil || got["expires_at"] != nil {
			t.Errorf("%s: %v", name, got)
		}
		if m.read == "" {
			continue
		}
		if a := s.Call("GET", m.read, ""); a.ResponseRecorder.Code != 200 {
			t.Errorf("%s for a stranger: %d %s", name, a.ResponseRecorder.Code, a.Body)
		}
	}
}
