package keys

import (
	"context"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// proofLife is how long the administrator's password counts as fresh after
// signing in, or after it was shown again.
const proofLife = time.Hour

var errConfirm = &ports.Error{Code: ports.Forbidden, Key: "confirm_required"}

// Confirm makes the password of the caller's session fresh again; with a second
// step a code is needed too. authorization is the header that names the
// session. Asks admin.account.write. Returns Invalid for a wrong password or
// code, NotFound when the caller has no session.
func (a *Access) Confirm(ctx context.Context, who policy.Principal, authorization, password, code string) error {
	if err := a.mayAccount(ctx, who); err != nil {
		return err
	}
	id := SessionID(authorization)
	if id == "" {
		return errNoSession
	}
	if err := a.currentPassword(ctx, who, password); err != nil {
		return err
	}
	second, err := a.secondStep(ctx, who.ID)
	if err != nil {
		return err
	}
	if second != nil {
		if err := a.useCode(ctx, second, code, errTOTPCode); err != nil {
			return err
		}
	}
	err = a.d.Sessions.Confirm(ctx, id, a.d.Clock.Now())
	if ports.Is(err, ports.NotFound) {
		return errNoSession
	}
	return ports.Wrap("confirm a session", err)
}

// Confirmed returns Forbidden with the key confirm_required when an administrator
// has no session whose password is fresh. Basic is no session: browsers keep its
// password and send it unasked. Keys are for the policy to refuse.
func (a *Access) Confirmed(ctx context.Context, who policy.Principal, authorization string) error {
	if who.Kind != policy.Admin {
		return nil
	}
	id := SessionID(authorization)
	if id == "" {
		return errConfirm
	}
	session, err := a.d.Sessions.Get(ctx, id)
	if ports.Is(err, ports.NotFound) {
		return errConfirm
	}
	if err != nil {
		return ports.Wrap("find session", err)
	}
	if a.d.Clock.Now().Sub(session.ConfirmedAt) > proofLife {
		return errConfirm
	}
	return nil
}
