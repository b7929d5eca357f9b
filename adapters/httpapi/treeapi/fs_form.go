package treeapi

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/forms"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts"
	"pasteport/domain/mounts/direct"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// uploadForm stores the file of a form (contract §4.5). When the path comes
// before the file, the file streams to storage; else it waits on disk until the
// path is known.
func (c transferCalls) uploadForm(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
	parts, err := r.MultipartReader()
	if err != nil {
		return forms.ErrForm.With(err)
	}
	f := &storeForm{calls: c, caller: explorer(who), Reader: forms.Reader{Parts: parts, Fields: map[string]string{}}}
	file, err := f.UntilFile()
	if err != nil {
		return err
	}
	body, size := io.Reader(&knownPart{form: f, part: file}), int64(-1)
	if f.Fields["path"] == "" {
		if err := c.Tree.MayUpload(r.Context(), explorer(who), forms.FileName(file)); err != nil {
			return err // before anything is kept for them
		}
		kept, err := forms.NewSpool(c.SpoolDir, file, c.MaxUpload())
		if err != nil {
			return err
		}
		defer kept.Close()
		if err := errors.Join(f.rest(), kept.Rewind()); err != nil {
			return err
		}
		body, size = kept, kept.Size
	}
	answer, err := f.store(r.Context(), forms.FileName(file), body, size)
	if err != nil {
		return err
	}
	return httpapi.Send(w, r, answer)
}

// storeForm is a form that brings one file.
type storeForm struct {
	forms.Reader
	calls  transferCalls
	caller mounts.Caller
}

// choices are the fields of the form that say what to do with the file.
func (f *storeForm) choices() (inParts, overwrite wire.Flag, err error) {
	overwrite = true
	inParts = f.Fields["use_multipart"] == "true"
	if text := f.Fields["overwrite"]; text != "" {
		err = overwrite.FromText(text)
	}
	if err != nil {
		err = httpapi.TextError(forms.ErrForm.With(err), "field_type", map[string]any{"field": "overwrite"})
	}
	return inParts, overwrite, err
}

// store does what the fields say.
func (f *storeForm) store(ctx context.Context, name string, body io.Reader, size int64) (any, error) {
	if f.Fields["path"] == "" {
		return nil, ports.InvalidInput("required", "path")
	}
	path, err := direct.Target(f.Fields["path"], name)
	if err != nil {
		return nil, err
	}
	inParts, overwrite, err := f.choices()
	if err != nil {
		return nil, err
	}
	if inParts {
		n, err := io.Copy(io.Discard, body) // only its size counts
		if err != nil {
			return nil, forms.Error(err)
		}
		begun, err := f.calls.Direct.Begin(ctx, f.caller, path, direct.NewUpload{Size: n})
		if err != nil {
			return nil, err
		}
		return answerBegun(ctx, begun), nil
	}
	stored, _, err := f.calls.Tree.Write(ctx, f.caller, path, body, mounts.Write{
		Size: size, Limit: f.calls.MaxUpload(), Overwrite: bool(overwrite), MakeParents: true,
	})
	if err != nil {
		return nil, err
	}
	return answerStored(ctx, stored), nil
}

// rest reads the fields behind the file; a second file is refused.
func (f *storeForm) rest() error {
	if _, err := f.UntilFile(); err == nil {
		return forms.ErrForm
	} else if !errors.Is(err, forms.ErrFile) {
		return err
	}
	return nil
}

// knownPart reads a file whose path is known. It ends well only when what
// follows in the form changes nothing: the file is on its way already.
type knownPart struct {
	form *storeForm
	part *multipart.Part
	end  error
}

func (k *knownPart) Read(p []byte) (int, error) {
	if k.end != nil {
		return 0, k.end
	}
	n, err := k.part.Read(p)
	if err == io.EOF {
		err = k.check()
	} else if err != nil {
		err = forms.Error(err)
	}
	k.end = err
	return n, err
}

func (k *knownPart) check() error {
	f := k.form
	path := f.Fields["path"]
	inParts, overwrite, _ := f.choices()
	if err := f.rest(); err != nil {
		return err
	}
	if in, over, err := f.choices(); err != nil || in != inParts || over != overwrite || f.Fields["path"] != path {
		return forms.ErrOrder
	}
	return io.EOF
}
