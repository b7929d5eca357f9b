package gate

import (
	"pasteport/ports"
	"pasteport/ports/policy"
)

// HideForeign turns the refusal "belongs to somebody else" into unknown, so
// that nobody learns which ids exist. A missing permission stays a refusal.
func HideForeign(decision policy.Decision, err error, unknown *ports.Error) error {
	if !ports.Is(err, ports.Forbidden) {
		return err
	}
	foreign := false
	for _, r := range decision.Reasons {
		switch r.Code {
		case "permission_missing":
			return &ports.Error{Code: ports.Forbidden, Key: "permission_denied", Reason: r.Code, Cause: err}
		case "not_owner":
			foreign = true
		}
	}
	if foreign {
		return unknown.With(err)
	}
	return err
}
