package apiclient

import (
	"context"
	"net/http"
	"time"
)

// Wanted says what a request asks others to send. Zero means no bound.
type Wanted struct {
	Title        string     `json:"title"`
	Message      string     `json:"message,omitempty"`
	Folder       string     `json:"folder,omitempty"` // of a mount; empty: each file becomes a share
	PerSender    bool       `json:"folder_per_sender,omitempty"`
	MaxFiles     int64      `json:"max_files,omitempty"`
	MaxBytes     int64      `json:"max_bytes,omitempty"`
	MaxFileBytes int64      `json:"max_file_bytes,omitempty"`
	Types        []string   `json:"types,omitempty"` // media types
	AskName      string     `json:"ask_name,omitempty"`
	AskNote      string     `json:"ask_note,omitempty"`
	Password     string     `json:"password,omitempty"`
	ExpiresAt    *time.Time `json:"expires_at,omitempty"`
}

// RequestFiles makes a link through which others send files.
func (c *Client) RequestFiles(ctx context.Context, w Wanted) (Made, error) {
	var made Made
	_, err := c.call(ctx, exchange{method: http.MethodPost, path: "/api/requests", in: w, out: &made})
	return made, err
}
