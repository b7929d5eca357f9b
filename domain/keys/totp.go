package keys

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/policy"
)

// A second step at sign-in, by codes that an app makes (RFC 6238 with SHA-1,
// six digits and 30 seconds, which every app knows).
const (
	totpStep      = 30      // seconds
	totpModulus   = 1000000 // six digits
	totpSecret    = 20      // bytes
	recoveryCodes = 10
	recoveryLen   = 10 // of 62 letters
	totpGuesses   = 10 // wrong codes from one address in 15 minutes
	totpGuessAll  = 50 // from all addresses
)

var (
	errTOTPNeeded   = &ports.Error{Code: ports.Unauthenticated, Key: "totp_required"}
	errTOTPWrong    = &ports.Error{Code: ports.Unauthenticated, Key: "totp_wrong"}
	errTOTPCode     = ports.InvalidInput("totp_wrong", "code")
	errTOTPPassword = ports.InvalidInput("account.current_wrong", "currentPassword")
	errTOTPOn       = &ports.Error{Code: ports.Conflict, Key: "already_exists", Text: "totp.on"}
	errTOTPOff      = &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "totp.off"}
	errBasicTOTP    = &ports.Error{Code: ports.Forbidden, Key: "permission_denied", Text: "auth.basic_totp"}
)

// TOTP is the second step of an administrator. It counts once it is enabled.
type TOTP struct {
	AdminID   string
	Sealed    []byte // the secret
	Enabled   bool
	LastStep  int64    // of the last code that was used; none is good twice
	Recovery  []string // keyed hashes of the recovery codes that are left
	CreatedAt time.Time
}

// TOTPRepository stores second steps, one for each administrator.
type TOTPRepository interface {
	Get(ctx context.Context, adminID string) (*TOTP, error)
	// Put stores t, replacing an older one.
	Put(ctx context.Context, t *TOTP) error
	// Delete of none is no error.
	Delete(ctx context.Context, adminID string) error
	// UseStep notes that a code of step was used; false when one of it, or of a
	// later one, was used before.
	UseStep(ctx context.Context, adminID string, step int64) (bool, error)
	// UseRecovery takes a recovery code out; false when it is not there.
	UseRecovery(ctx context.Context, adminID, hash string) (bool, error)
}

// secondStep returns the second step of an administrator that is on, or nil.
func (a *Access) secondStep(ctx context.Context, adminID string) (*TOTP, error) {
	if a.d.TOTP == nil {
		return nil, nil
	}
	t, err := a.d.TOTP.Get(ctx, adminID)
	if ports.Is(err, ports.NotFound) || err == nil && !t.Enabled {
		return nil, nil
	}
	return t, ports.Wrap("read the second step", err)
}

// passSecondStep checks the second step at sign-in; false when there is none.
func (a *Access) passSecondStep(ctx context.Context, adminID, code string) (passed bool, err error) {
	t, err := a.secondStep(ctx, adminID)
	if err != nil || t == nil {
		return false, err
	}
	if strings.TrimSpace(code) == "" {
		return false, errTOTPNeeded
	}
	return true, a.useCode(ctx, t, code, errTOTPWrong)
}

// useCode uses a code of the app, or a recovery code, up. A wrong one counts as
// a guess and ends in wrong.
func (a *Access) useCode(ctx context.Context, t *TOTP, code string, wrong *ports.Error) error {
	limits := []ports.GuessLimit{
		{Subject: "totp|" + source(ctx), Max: totpGuesses, Window: guessWindow},
		{Subject: "totp|" + t.AdminID, Max: totpGuessAll, Window: guessWindow},
	}
	unlock, err := a.guesses.turns.Lock(ctx, "totp|"+t.AdminID)
	if err != nil {
		return err
	}
	defer unlock()
	if err := a.guesses.may(ctx, limits...); err != nil {
		return err
	}
	ok, err := a.tryCode(ctx, t, code)
	if err != nil {
		return err
	}
	if !ok {
		return a.guesses.failed(ctx, wrong, limits...)
	}
	return nil
}

func (a *Access) tryCode(ctx context.Context, t *TOTP, code string) (bool, error) {
	code = strings.NewReplacer(" ", "", "-", "").Replace(code)
	if len(code) == recoveryLen {
		ok, err := a.d.TOTP.UseRecovery(ctx, t.AdminID, a.recoveryHash(code))
		return ok, ports.Wrap("use a recovery code", err)
	}
	step, ok, err := a.matches(t, code)
	if err != nil || !ok {
		return false, err
	}
	ok, err = a.d.TOTP.UseStep(ctx, t.AdminID, step)
	return ok, ports.Wrap("use a code", err)
}

// matches tells of which step a code is: the current one, or a neighbour.
func (a *Access) matches(t *TOTP, code string) (step int64, ok bool, err error) {
	secret, err := a.d.Sealer.Open(t.Sealed, totpPlace(t.AdminID))
	if err != nil {
		return 0, false, ports.Wrap("open the secret of the second step", err)
	}
	now := a.d.Clock.Now().Unix() / totpStep
	for _, step := range []int64{now, now - 1, now + 1} {
		if subtle.ConstantTimeCompare([]byte(totpCode(secret, step)), []byte(code)) == 1 {
			return step, true, nil
		}
	}
	return 0, false, nil
}

// totpCode is the code of a step (RFC 4226 §5.3).
func totpCode(secret []byte, step int64) string {
	h := hmac.New(sha1.New, secret)
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := h.Sum(nil)
	at := sum[len(sum)-1] & 15
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:at+4])&0x7fffffff%totpModulus)
}

func totpPlace(adminID string) string { return "admin_totp/" + adminID }

func (a *Access) recoveryHash(code string) string {
	sum := a.d.MAC.Sum("recovery code", []byte(code))
	return hex.EncodeToString(sum[:])
}

// TOTPState tells about the second step.
type TOTPState struct {
	Enabled  bool
	Recovery int // codes that are left
}

// TOTPState tells whether the second step is on. Asks admin.account.write.
func (a *Access) TOTPState(ctx context.Context, who policy.Principal) (TOTPState, error) {
	if err := a.mayAccount(ctx, who); err != nil {
		return TOTPState{}, err
	}
	t, err := a.secondStep(ctx, who.ID)
	if err != nil || t == nil {
		return TOTPState{}, err
	}
	return TOTPState{Enabled: true, Recovery: len(t.Recovery)}, nil
}

func (a *Access) mayAccount(ctx context.Context, who policy.Principal) error {
	_, err := policy.Check(ctx, a.d.Decider, who, policy.AccountWrite, policy.Resource{Kind: policy.KindAccount, ID: who.ID})
	return err
}

// TOTPOffer is a secret for an app.
type TOTPOffer struct {
	Secret string // base32
	URL    string // otpauth address, for a QR code
}

// BeginTOTP makes a secret for the administrator's app; nothing changes until a
// code of it is shown. Asks admin.account.write. Returns Invalid for a wrong
// password, Conflict when the second step is on.
func (a *Access) BeginTOTP(ctx context.Context, who policy.Principal, password string) (TOTPOffer, error) {
	if err := a.mayAccount(ctx, who); err != nil {
		return TOTPOffer{}, err
	}
	if err := a.currentPassword(ctx, who, password); err != nil {
		return TOTPOffer{}, err
	}
	on, err := a.secondStep(ctx, who.ID)
	if err != nil {
		return TOTPOffer{}, err
	}
	if on != nil {
		return TOTPOffer{}, errTOTPOn
	}
	secret := a.d.Random.Bytes(totpSecret)
	sealed, err := a.d.Sealer.Seal(secret, totpPlace(who.ID))
	if err != nil {
		return TOTPOffer{}, ports.Wrap("seal the secret of the second step", err)
	}
	err = a.d.Work.Do(ctx, func(ctx context.Context) error {
		if err := a.d.hold(ctx, who.ID); err != nil {
			return err
		}
		// One that was turned on meanwhile stays on.
		if on, err := a.secondStep(ctx, who.ID); err != nil || on != nil {
			return cmp.Or(err, error(errTOTPOn))
		}
		return ports.Wrap("store the second step", a.d.TOTP.Put(ctx, &TOTP{AdminID: who.ID, Sealed: sealed, CreatedAt: a.d.Clock.Now()}))
	})
	if err != nil {
		return TOTPOffer{}, err
	}
	text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
	issuer := a.d.Site.SiteTitle()
	query := url.Values{"secret": {text}, "issuer": {issuer}, "algorithm": {"SHA1"}, "digits": {"6"}, "period": {"30"}}
	address := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + issuer + ":" + who.Name, RawQuery: strings.ReplaceAll(query.Encode(), "+", "%20")}
	return TOTPOffer{Secret: text, URL: address.String()}, nil
}

// hold keeps an account for the unit of work of ctx: a sign-in or another change of
// it waits, or is seen.
func (d *Deps) hold(ctx context.Context, adminID string) error {
	_, err := d.Admins.Update(ctx, adminID, func(*Admin) error { return nil })
	return ports.Wrap("find the account", err)
}

// currentPassword checks the administrator's password within the limits on
// guesses.
func (a *Access) currentPassword(ctx context.Context, who policy.Principal, password string) error {
	if password == "" {
		return errNoCurrent
	}
	_, err := a.password(ctx, who.Name, password)
	if ports.Is(err, ports.Unauthenticated) {
		return errTOTPPassword
	}
	return err
}

// EnableTOTP turns the second step on when a code of the app is right, and
// returns recovery codes, which cannot be had again. All sessions end but the one
// that authorization names: they were opened without the second step. Asks
// admin.account.write. Returns Invalid for a wrong code, NotFound when no secret was made.
func (a *Access) EnableTOTP(ctx context.Context, who policy.Principal, authorization, code string) ([]string, error) {
	if err := a.mayAccount(ctx, who); err != nil {
		return nil, err
	}
	if a.d.TOTP == nil {
		return nil, errTOTPOff
	}
	t, err := a.d.TOTP.Get(ctx, who.ID)
	if ports.Is(err, ports.NotFound) {
		return nil, errTOTPOff
	}
	if err != nil {
		return nil, ports.Wrap("read the second step", err)
	}
	if t.Enabled {
		return nil, errTOTPOn
	}
	if err := a.useCode(ctx, t, code, errTOTPCode); err != nil {
		return nil, err
	}
	var codes []string
	err = a.change(ctx, func(ctx context.Context) (err error) {
		if codes, err = a.storeRecovery(ctx, who.ID, false); err != nil {
			return err
		}
		return a.endOtherSessions(ctx, who.ID, SessionID(authorization))
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

// endOtherSessions ends all sessions of an administrator but one.
func (a *Access) endOtherSessions(ctx context.Context, adminID, kept string) error {
	all, err := a.d.Sessions.List(ctx, adminID)
	if err != nil {
		return ports.Wrap("list sessions", err)
	}
	for _, session := range all {
		if session.ID == kept {
			continue
		}
		if err := a.d.Sessions.Delete(ctx, session.ID); err != nil && !ports.Is(err, ports.NotFound) {
			return ports.Wrap("end session", err)
		}
	}
	return nil
}

// storeRecovery turns a second step on with fresh recovery codes, in the unit of
// work of ctx; or renews them, where it has to be on. Returns errTOTPOn and errTOTPOff
// when it has changed meanwhile.
func (a *Access) storeRecovery(ctx context.Context, adminID string, on bool) ([]string, error) {
	if err := a.d.hold(ctx, adminID); err != nil {
		return nil, err
	}
	t, err := a.d.TOTP.Get(ctx, adminID) // with the step that was just used
	switch {
	case ports.Is(err, ports.NotFound), err == nil && on && !t.Enabled:
		return nil, errTOTPOff
	case err != nil:
		return nil, ports.Wrap("read the second step", err)
	case t.Enabled && !on:
		return nil, errTOTPOn
	}
	codes := make([]string, recoveryCodes)
	t.Enabled, t.Recovery = true, make([]string, recoveryCodes)
	for i := range codes {
		code := a.d.Random.Text(recoveryLen)
		t.Recovery[i] = a.recoveryHash(code)
		codes[i] = code[:recoveryLen/2] + "-" + code[recoveryLen/2:]
	}
	if err := a.d.TOTP.Put(ctx, t); err != nil {
		return nil, ports.Wrap("store the second step", err)
	}
	return codes, nil
}

// RenewRecovery replaces the recovery codes. Asks admin.account.write. Returns
// Invalid for a wrong password or code, NotFound when the second step is off.
func (a *Access) RenewRecovery(ctx context.Context, who policy.Principal, password, code string) ([]string, error) {
	if _, err := a.provenStep(ctx, who, password, code); err != nil {
		return nil, err
	}
	var codes []string
	err := a.change(ctx, func(ctx context.Context) (err error) {
		codes, err = a.storeRecovery(ctx, who.ID, true)
		return err
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

// DisableTOTP turns the second step off. Asks admin.account.write. Errors as of
// RenewRecovery.
func (a *Access) DisableTOTP(ctx context.Context, who policy.Principal, password, code string) error {
	if _, err := a.provenStep(ctx, who, password, code); err != nil {
		return err
	}
	return a.change(ctx, func(ctx context.Context) error {
		return ports.Wrap("turn the second step off", a.d.TOTP.Delete(ctx, who.ID))
	})
}

// provenStep is the second step of a caller who knows the password and a code.
func (a *Access) provenStep(ctx context.Context, who policy.Principal, password, code string) (*TOTP, error) {
	if err := a.mayAccount(ctx, who); err != nil {
		return nil, err
	}
	t, err := a.secondStep(ctx, who.ID)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, errTOTPOff
	}
	if err := a.currentPassword(ctx, who, password); err != nil {
		return nil, err
	}
	return t, a.useCode(ctx, t, code, errTOTPCode)
}
