package adminapi

import (
	"context"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/domain/keys"
	"pasteport/ports/policy"
)

// totpOps are the calls about the administrator's second step at sign-in.
func totpOps(a *httpapi.API, access *keys.Access) {
	actions := []policy.Action{policy.AccountWrite}
	secrets := []string{"currentPassword", "code", "secret", "url", "recovery_codes"}

	httpapi.Handle(a, httpapi.Op{Name: "account.totp", Method: http.MethodGet, Path: "/api/admin/totp", Actions: actions,
		Summary: "Tells whether a second step at sign-in is on, and how many recovery codes are left."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (totpJSON, error) {
			s, err := access.TOTPState(ctx, who)
			return totpJSON{Enabled: s.Enabled, Recovery: s.Recovery}, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "account.totp_begin", Method: http.MethodPost, Path: "/api/admin/totp/begin", Actions: actions, Body: httpapi.JSON, Secrets: secrets,
		Errors: []string{"already_exists", "overloaded"}, Summary: "Makes a secret for an app that shows codes. Nothing changes until one of them is shown."},
		func(ctx context.Context, who policy.Principal, in totpRequest) (totpOfferJSON, error) {
			offer, err := access.BeginTOTP(ctx, who, in.Password)
			return totpOfferJSON(offer), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "account.totp_enable", Method: http.MethodPost, Path: "/api/admin/totp/enable", Actions: actions, Body: httpapi.JSON, Secrets: secrets,
		Errors: []string{"not_found", "already_exists"}, Summary: "Turns the second step on when the code is right, and ends all other sessions. The recovery codes are in this answer and nowhere else."},
		func(ctx context.Context, who policy.Principal, in totpRequest) (recoveryJSON, error) {
			codes, err := access.EnableTOTP(ctx, who, authorizationOf(ctx), in.Code)
			return recoveryJSON{codes}, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "account.totp_recovery", Method: http.MethodPost, Path: "/api/admin/totp/recovery", Actions: actions, Body: httpapi.JSON, Secrets: secrets,
		Errors: []string{"not_found", "overloaded"}, Summary: "Replaces the recovery codes."},
		func(ctx context.Context, who policy.Principal, in totpRequest) (recoveryJSON, error) {
			codes, err := access.RenewRecovery(ctx, who, in.Password, in.Code)
			return recoveryJSON{codes}, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "account.totp_disable", Method: http.MethodPost, Path: "/api/admin/totp/disable", Actions: actions, Body: httpapi.JSON, Secrets: secrets,
		Errors: []string{"not_found", "overloaded"}, Summary: "Turns the second step off."},
		func(ctx context.Context, who policy.Principal, in totpRequest) (httpapi.None, error) {
			return httpapi.None{}, access.DisableTOTP(ctx, who, in.Password, in.Code)
		})
}

type totpRequest struct {
	Password string `json:"currentPassword"`
	Code     string `json:"code"` // six digits, or a recovery code
}

type totpJSON struct {
	Enabled  bool `json:"enabled"`
	Recovery int  `json:"recovery_codes_left"`
}

type totpOfferJSON struct {
	Secret string `json:"secret"` // base32
	URL    string `json:"url"`    // otpauth address, for a QR code
}

type recoveryJSON struct {
	Codes []string `json:"recovery_codes"`
}
