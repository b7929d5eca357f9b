package treeapi

import (
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/content"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/mounts/thumbnail"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// fsThumbnailOps give small pictures of files, so that a folder of photographs
// is not fetched whole to be looked at.
func fsThumbnailOps(a *httpapi.API, thumbnails *thumbnail.Thumbnails) {
	httpapi.Stream(a, httpapi.Op{Name: "fs.thumbnail", Method: http.MethodGet, Path: "/api/fs/thumbnail", Actions: []policy.Action{policy.MountRead}, Class: httpapi.Streaming, Type: "image/*", Also: []int{http.StatusNotModified},
		Errors: append([]string{"type_mismatch", "unsupported_media"}, fsErrors...), Summary: "A small picture of a JPEG, PNG or GIF file."},
		func(w http.ResponseWriter, r *http.Request, who policy.Principal) error {
			in, err := httpapi.Decode[thumbnailRequest](r)
			if err != nil {
				return err
			}
			if in.Path == "" {
				return ports.InvalidInput("field_required", "path")
			}
			found, err := thumbnails.Get(r.Context(), explorer(who), in.Path, wire.ClampInt(int64(in.Size), -1, 1<<20))
			if err != nil {
				return err
			}
			return content.ServePicture(w, r, found.Tag, found.Make, listVary)
		})
	httpapi.Describe(a, "fs.thumbnail", thumbnailRequest{})
}

type thumbnailRequest struct {
	Path string `query:"path"`
	// Size is how long the longer side shall be, in pixels; it becomes 160, 320,
	// 640 or 1280. 0 means 640. No picture is made larger than it is.
	Size wire.Int `query:"size"`
}
