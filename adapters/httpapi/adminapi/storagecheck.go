package adminapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"pasteport/domain/shares/reconcile"
	"pasteport/ports"
	"pasteport/ports/policy"
)

// StorageCheck asks for a comparison of a storage with the records of shares, on
// the command line.
type StorageCheck struct {
	Storage string `json:"storage"` // id or name of the config
	Folder  string `json:"folder"`
	Report  string `json:"report"`
	Objects string `json:"objects"`
	Records string `json:"records"`
	Uploads string `json:"uploads"`
}

// StorageChecks compares storages for those who have the master key, as the
// administrator: by the same use case as the panel.
type StorageChecks struct {
	Reconciler *reconcile.Reconciler
	// Storages lists the names of all configs by id.
	Storages func(ctx context.Context) (map[string]string, error)
	// Admin is who the tasks belong to.
	Admin func(ctx context.Context) (policy.Principal, error)
	// Note notes in the audit log what was started.
	Note func(ctx context.Context, target string) error
}

// Start begins a comparison and returns its id. An unknown storage is NotFound, a name
// of several Conflict.
func (s StorageChecks) Start(ctx context.Context, in StorageCheck) (string, error) {
	id, err := s.find(ctx, in.Storage)
	if err != nil {
		return "", err
	}
	who, err := s.Admin(ctx)
	if err != nil {
		return "", err
	}
	task, err := s.Reconciler.Start(ctx, who, reconcile.Plan{StorageID: id, Folder: in.Folder, Report: in.Report,
		Objects: reconcile.Choice(in.Objects), Records: reconcile.Choice(in.Records), Uploads: reconcile.Choice(in.Uploads)})
	if err != nil {
		return "", err
	}
	return task, s.Note(ctx, id)
}

// find is the id of the storage with a name or an id.
func (s StorageChecks) find(ctx context.Context, named string) (id string, err error) {
	all, err := s.Storages(ctx)
	if err != nil {
		return "", err
	}
	if _, known := all[named]; known {
		return named, nil
	}
	for other, name := range all {
		if name != named {
			continue
		}
		if id != "" {
			return "", fmt.Errorf("several storages are named %q; name one by its id: %w", named, ports.ErrConflict)
		}
		id = other
	}
	if id == "" {
		return "", fmt.Errorf("there is no storage %q: %w", named, ports.ErrNotFound)
	}
	return id, nil
}

// Get tells how far a comparison is, as JSON.
func (s StorageChecks) Get(ctx context.Context, id string) ([]byte, error) {
	who, err := s.Admin(ctx)
	if err != nil {
		return nil, err
	}
	run, err := s.Reconciler.Get(ctx, who, id)
	if err != nil {
		return nil, err
	}
	return json.Marshal(reconciliationOf(&run))
}

// ServeHTTP answers on the listener for probes: GET lists the storages, or tells of
// the comparison "id"; POST starts one. Callers have shown before that they may.
func (s StorageChecks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := s.answer(w, r)
	if err != nil {
		status := http.StatusBadRequest
		if known := (*ports.Error)(nil); !errors.As(err, &known) || known.Code == ports.Internal {
			status = http.StatusInternalServerError
		}
		http.Error(w, err.Error(), status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}

func (s StorageChecks) answer(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	id := r.URL.Query().Get("id")
	if r.Method == http.MethodPost {
		var in StorageCheck
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&in)
		if err != nil {
			return nil, ports.InvalidInput("field_type", "body").With(err)
		}
		if id, err = s.Start(r.Context(), in); err != nil {
			return nil, err
		}
	}
	if id != "" {
		return s.Get(r.Context(), id)
	}
	all, err := s.Storages(r.Context())
	if err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

// WithToken lets those pass who have the master key.
func WithToken(admitted func(token string) bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !admitted(r.URL.Query().Get("token")) {
			http.Error(w, "no token of the master key", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
