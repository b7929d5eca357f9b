package terminal

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"pasteport/adapters/apiclient"
)

// Request asks others for files.
type Request struct {
	Server      `embed:""`
	Title       string   `arg:"" help:"What you ask for, as senders read it."`
	Message     string   `env:"-" help:"What else you tell them."`
	Folder      string   `env:"-" help:"Folder of a mount that files come into, as :/path. Default: each file becomes a share of yours." placeholder:":/PATH"`
	PerSender   bool     `env:"-" help:"A folder for each sender."`
	Files       int64    `env:"-" help:"How many files may come." placeholder:"N"`
	Size        Bytes    `env:"-" help:"How much may come, as 500MB or 2GiB." placeholder:"SIZE"`
	FileSize    Bytes    `env:"-" help:"How large a file may be." placeholder:"SIZE"`
	Type        []string `env:"-" help:"Media types that contents may have, as image/* or application/pdf." placeholder:"TYPE"`
	AskName     string   `env:"-" enum:"no,optional,required" default:"optional" help:"Ask senders for a name: no, optional or required."`
	AskNote     string   `env:"-" enum:"no,optional,required" default:"optional" help:"Ask senders for a note: no, optional or required."`
	Expires     Life     `env:"-" help:"How long it is open: hours, or 12h, 7d, 2w." placeholder:"TIME"`
	Secret      `embed:""`
	LinkPrinter `embed:""`
}

// Bytes is a size, in bytes.
type Bytes int64

// UnmarshalText reads a number of bytes, or such as 500MB and 2GiB.
func (b *Bytes) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	*b = Bytes(min(n, math.MaxInt64))
	return err
}

// Run makes the request and prints its link.
func (r *Request) Run(ctx context.Context, v Version) error {
	folder, remote := strings.CutPrefix(r.Folder, ":")
	if folder != "" && !remote {
		return errPath
	}
	c, err := r.connect(ctx, v)
	if err != nil {
		return err
	}
	password, err := r.Secret.read()
	if err != nil {
		return err
	}
	wanted := apiclient.Wanted{Title: r.Title, Message: r.Message, Folder: folder, PerSender: r.PerSender, MaxFiles: r.Files, MaxBytes: int64(r.Size), MaxFileBytes: int64(r.FileSize),
		Types: r.Type, AskName: r.AskName, AskNote: r.AskNote, Password: password}
	if r.Expires > 0 {
		end := time.Now().Add(time.Duration(r.Expires) * time.Hour)
		wanted.ExpiresAt = &end
	}
	made, err := c.RequestFiles(ctx, wanted)
	if err != nil {
		return err
	}
	return r.tell(made)
}
