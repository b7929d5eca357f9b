package keys

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"pasteport/ports"
	"pasteport/ports/policy"
)

const maxUsername = 50 // characters

var (
	errNoCurrent    = ports.InvalidInput("account.current_missing", "currentPassword")
	errNothingNew   = ports.InvalidInput("account.nothing_new", "newPassword")
	errSamePassword = ports.InvalidInput("account.same_password", "newPassword")
	errUsername     = ports.InvalidInput("account.username", "newUsername")
	errNameTaken    = &ports.Error{Code: ports.Conflict, Key: "already_exists", Text: "account.name_taken"}
	errCurrent      = &ports.Error{Code: ports.Unauthenticated, Key: "password_wrong", Text: "account.current_wrong"}
)

// AccountChange is a new name or password of the administrator. Empty means
// unchanged.
type AccountChange struct {
	CurrentPassword string
	NewPassword     string
	NewUsername     string
}

// ChangeAccount changes the administrator's name or password and ends all
// sessions. Asks admin.account.write. Returns Invalid for a bad wish,
// Unauthenticated when the current password is wrong, Conflict when the name
// is taken (contract §5.4).
func (a *Access) ChangeAccount(ctx context.Context, who policy.Principal, in AccountChange) error {
	if _, err := policy.Check(ctx, a.d.Decider, who, policy.AccountWrite, policy.Resource{Kind: policy.KindAccount, ID: who.ID}); err != nil {
		return err
	}
	in.NewUsername = strings.TrimSpace(in.NewUsername)
	if in.CurrentPassword == "" {
		return errNoCurrent
	}
	if in.NewPassword == "" && in.NewUsername == "" {
		return errNothingNew
	}
	for {
		err := a.changeAccount(ctx, who, in)
		if !errors.Is(err, errOvertaken) {
			return err
		}
	}
}

// changeAccount is ChangeAccount for one who may. Returns errOvertaken when the
// account was changed since the current password was checked.
func (a *Access) changeAccount(ctx context.Context, who policy.Principal, in AccountChange) error {
	admin, err := a.password(ctx, who.Name, in.CurrentPassword)
	if ports.Is(err, ports.Unauthenticated) {
		return errCurrent
	}
	if err != nil {
		return err
	}
	name := admin.Username
	if in.NewUsername != "" {
		if name, err = checkUsername(in.NewUsername); err != nil {
			return err
		}
	}
	var hash string
	if in.NewPassword != "" {
		if in.NewPassword == in.CurrentPassword {
			return errSamePassword
		}
		if hash, err = a.newHash(ctx, in.NewPassword, name); err != nil {
			return err
		}
	}
	return a.saveAccount(ctx, admin.ID, name, hash, func(now *Admin) error { return now.still(admin) })
}

// errOvertaken says that an account is no longer the one whose password was found
// right.
var errOvertaken = &ports.Error{Code: ports.Conflict, Key: "in_use"}

// still refuses an account that was changed since its password was found right.
func (admin *Admin) still(known *Admin) error {
	if admin.Username != known.Username || admin.PasswordHash != known.PasswordHash {
		return errOvertaken
	}
	return nil
}

// NewAdmin is an administrator who was just created.
type NewAdmin struct {
	ID       string
	Username string
	// Password is the random one; empty when the operator has chosen.
	Password string
}

// FirstAdmin creates the administrator when there is none; else it returns
// nil. An empty password asks for a random one. It asks no policy: it is for
// the start of the server.
func (a *Access) FirstAdmin(ctx context.Context, name, password string) (*NewAdmin, error) {
	page, err := a.d.Admins.List(ctx, AdminFilter{Paging: ports.Paging{Limit: 1}})
	if err != nil {
		return nil, ports.Wrap("look for an admin", err)
	}
	if page.Total > 0 {
		return nil, nil
	}
	if name, err = checkUsername(name); err != nil {
		return nil, err
	}
	made := &NewAdmin{ID: a.d.Random.ID(), Username: name}
	if password == "" {
		password = a.d.Random.Text(20)
		made.Password = password
	}
	hash, err := a.newHash(ctx, password, name)
	if err != nil {
		return nil, err
	}
	now := a.d.Clock.Now()
	err = a.d.Admins.Insert(ctx, &Admin{ID: made.ID, Username: name, PasswordHash: hash, CreatedAt: now, UpdatedAt: now})
	if ports.Is(err, ports.Conflict) { // another node was faster
		return nil, nil
	}
	return made, ports.Wrap("create admin", err)
}

// ResetAdmin gives the administrator a new password and, when name is not
// empty, a new name, turns the second step off and ends all sessions. An empty
// password asks for a random one. It returns the name and the password now in force. It asks no
// policy: it is for the operator's command line.
func (a *Access) ResetAdmin(ctx context.Context, name, password string) (string, string, error) {
	page, err := a.d.Admins.List(ctx, AdminFilter{Paging: ports.Paging{Limit: 1}})
	if err != nil {
		return "", "", ports.Wrap("look for an admin", err)
	}
	if page.Total == 0 {
		return "", "", &ports.Error{Code: ports.NotFound, Key: "not_found", Text: "account.none"}
	}
	admin := page.Items[0]
	if name == "" {
		name = admin.Username
	}
	if name, err = checkUsername(name); err != nil {
		return "", "", err
	}
	if password == "" {
		password = a.d.Random.Text(20)
	}
	hash, err := a.newHash(ctx, password, name)
	if err != nil {
		return "", "", err
	}
	return name, password, a.d.Work.Do(ctx, func(ctx context.Context) error {
		if a.d.TOTP != nil {
			if err := a.d.TOTP.Delete(ctx, admin.ID); err != nil {
				return ports.Wrap("turn the second step off", err)
			}
		}
		return a.saveAccount(ctx, admin.ID, name, hash, func(*Admin) error { return nil })
	})
}

// newHash checks a new password and returns its hash.
func (a *Access) newHash(ctx context.Context, password, username string) (string, error) {
	if err := checkPassword(password, username, a.d.Site.SiteTitle()); err != nil {
		return "", err
	}
	hash, err := a.d.Hasher.Hash(ctx, password)
	return hash, ports.Wrap("hash password", err)
}

// saveAccount stores name and, unless it is empty, hash, where check agrees to what
// there is, and ends all sessions.
func (a *Access) saveAccount(ctx context.Context, id, name, hash string, check func(*Admin) error) error {
	now := a.d.Clock.Now()
	return a.change(ctx, func(ctx context.Context) error {
		_, err := a.d.Admins.Update(ctx, id, func(admin *Admin) error {
			if err := check(admin); err != nil {
				return err
			}
			admin.Username, admin.UpdatedAt = name, now
			if hash != "" {
				admin.PasswordHash = hash
			}
			return nil
		})
		switch {
		case errors.Is(err, errOvertaken):
			return err
		case ports.Is(err, ports.Conflict):
			return errNameTaken
		case err != nil:
			return ports.Wrap("save account", err)
		}
		return ports.Wrap("end sessions", a.d.Sessions.DeleteByAdmin(ctx, id))
	})
}

// TestAdmin tells an administrator that the token still holds. Asks
// admin.account.write.
func (a *Access) TestAdmin(ctx context.Context, who policy.Principal) error {
	_, err := policy.Check(ctx, a.d.Decider, who, policy.AccountWrite, policy.Resource{Kind: policy.KindAccount, ID: who.ID})
	return err
}

// TestKey tells a key, or the administrator, what it may do. Asks key.self.
func (a *Access) TestKey(ctx context.Context, who policy.Principal) (policy.Principal, error) {
	_, err := policy.Check(ctx, a.d.Decider, who, policy.KeySelf, policy.Resource{Kind: policy.KindKey, ID: who.ID})
	return who, err
}

// checkUsername returns the name without blanks around it. A colon would end
// it too early in Basic credentials.
func checkUsername(name string) (string, error) {
	name = strings.TrimSpace(name)
	bad := strings.ContainsFunc(name, func(r rune) bool { return r == ':' || unicode.IsControl(r) || r == unicode.ReplacementChar })
	if name == "" || bad || len([]rune(name)) > maxUsername {
		return "", errUsername
	}
	return name, nil
}
