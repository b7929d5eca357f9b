package openings

import (
	"context"
	"errors"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// How says as what a share was opened.
type How string

// How shares are opened.
const (
	AsPage     How = "page"     // text, facts of a file, list of a collection
	AsRaw      How = "raw"      // the bytes, to be shown
	AsDownload How = "download" // the bytes, to be saved
	AsPreview  How = "preview"  // by a foreign viewer
	AsZip      How = "zip"      // all of a collection
)

// By is who comes to a share, and for what.
type By struct {
	Who  policy.Principal
	How  How
	Item string // name of the one file of a collection; empty means all, or no collection
}

// bytesAs is how an action on bytes opens a share.
func bytesAs(do policy.Action) How {
	if do == policy.ShareDownload {
		return AsDownload
	}
	return AsRaw
}

// BytesBy is who comes for the bytes of a file: that of a share, or one of a
// collection. do is share.view or share.download.
func BytesBy(who policy.Principal, do policy.Action, item string) By {
	return By{Who: who, How: bytesAs(do), Item: item}
}

// Verdict is what became of an attempt to open a share.
type Verdict string

// The verdicts.
const (
	WasOpened     Verdict = "opened"
	WrongPassword Verdict = "password_wrong"
	WasUsedUp     Verdict = "used_up"
	WasExpired    Verdict = "expired"
	WasStranger   Verdict = "key_required"
)

// Attempt is somebody who has opened a share, or was not let in.
type Attempt struct {
	By
	Share   Opening
	Verdict Verdict
	View    bool // it took a view; what is opened later in a visit takes none
}

// Log keeps who opened shares and who tried to.
type Log interface {
	// On reports whether anything is kept.
	On() bool
	// Note notes an attempt with the next flush. It never waits.
	Note(ctx context.Context, a Attempt)
	// Keep notes one in the unit of work of ctx.
	Keep(ctx context.Context, a Attempt) error
	// Flush stores what was noted.
	Flush(ctx context.Context) error
}

// verdicts are the refusals of a share that its log tells, by their key.
var verdicts = map[string]Verdict{"password_wrong": WrongPassword, "used_up": WasUsedUp, "expired": WasExpired, "key_required": WasStranger, "downloads_used_up": WasUsedUp}

func (o *Openings) logs() bool { return o != nil && o.log != nil && o.log.On() }

// Refused notes why somebody was not let in, and returns err.
func (o *Openings) Refused(ctx context.Context, by By, what Opening, err error) error {
	var e *ports.Error
	if err == nil || !o.logs() || !errors.As(err, &e) {
		return err
	}
	if verdict, known := verdicts[e.Key]; known {
		o.log.Note(ctx, Attempt{By: by, Share: what, Verdict: verdict})
	}
	return err
}

// Again notes what was opened later in a visit that has taken its view.
func (o *Openings) Again(ctx context.Context, by By, what Opening) {
	if o.logs() {
		o.log.Note(ctx, Attempt{By: by, Share: what, Verdict: WasOpened})
	}
}
