package mounts

import (
	"context"
	"encoding/json"

	"pasteport/ports/jobs"
	"pasteport/ports/policy"
)

// Work is how one kind of task is done.
type Work struct {
	Run jobs.Worker
	// Allowed asks the policy again what the use case asked that started the
	// task, for whoever wants it repeated.
	Allowed func(ctx context.Context, who policy.Principal, payload json.RawMessage) error
}
