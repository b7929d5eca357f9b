package adminapi

import (
	"context"
	"net/http"

	"pasteport/adapters/httpapi"
	"pasteport/adapters/httpapi/wire"
	"pasteport/domain/keys"
	"pasteport/ports/policy"
)

// authOps are the calls about who is asking (contract §5.1 to §5.5) and the
// administrator's sessions.
func authOps(a *httpapi.API, access *keys.Access, usage Usage) {
	httpapi.Handle(a, httpapi.Op{Name: "session.open", Method: http.MethodPost, Path: "/api/admin/login", Actions: []policy.Action{policy.SessionOpen},
		Public: true, Body: httpapi.JSON, Secrets: []string{"password", "token", "totp"}, Errors: []string{"overloaded", "totp_required", "totp_wrong"},
		Class: httpapi.SignIn, Summary: "Signs the administrator in and hands out a session token for a day. While a second step is on the answer is 401 totp_required, and the call is repeated with totp."},
		func(ctx context.Context, who policy.Principal, in loginRequest) (loginData, error) {
			done, err := access.Login(ctx, who, keys.SignIn{Username: in.Username, Password: in.Password, TOTP: in.TOTP, UserAgent: userAgent(ctx)})
			return loginData{Username: done.Username, Token: done.Token, ExpiresAt: wire.Instant(done.ExpiresAt)}, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "session.close", Method: http.MethodPost, Path: "/api/admin/logout", Actions: []policy.Action{policy.SessionClose},
		Public: true, Summary: "Ends the session of the Bearer token, if there is one. A body is not read."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (httpapi.None, error) {
			err := access.Logout(ctx, who, authorizationOf(ctx))
			if err == nil {
				httpapi.ScopeOf(ctx).Header().Set("Clear-Site-Data", `"cache"`)
			}
			return httpapi.None{}, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "account.test", Method: http.MethodGet, Path: "/api/test/admin-token", Actions: []policy.Action{policy.AccountWrite},
		Summary: "Tells whether the session token still holds."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (httpapi.None, error) {
			return httpapi.None{}, access.TestAdmin(ctx, who)
		})

	httpapi.Handle(a, httpapi.Op{Name: "account.update", Method: http.MethodPost, Path: "/api/admin/change-password", Actions: []policy.Action{policy.AccountWrite},
		Body: httpapi.JSON, Secrets: []string{"currentPassword", "newPassword"}, Errors: []string{"password_wrong", "already_exists", "overloaded"},
		Summary: "Changes the administrator's name or password and ends all sessions."},
		func(ctx context.Context, who policy.Principal, in accountRequest) (httpapi.None, error) {
			return httpapi.None{}, access.ChangeAccount(ctx, who, keys.AccountChange(in))
		})

	httpapi.Handle(a, httpapi.Op{Name: "account.confirm", Method: http.MethodPost, Path: "/api/admin/confirm", Actions: []policy.Action{policy.AccountWrite}, Body: httpapi.JSON,
		Secrets: []string{"currentPassword", "code"}, Errors: []string{"not_found", "overloaded"},
		Class: httpapi.SignIn, Summary: "Shows the password again (and a code, while a second step is on), for calls that answer 403 confirm_required. It counts for an hour, as signing in does."},
		func(ctx context.Context, who policy.Principal, in totpRequest) (httpapi.None, error) {
			return httpapi.None{}, access.Confirm(ctx, who, authorizationOf(ctx), in.Password, in.Code)
		})

	httpapi.Handle(a, httpapi.Op{Name: "key.test", Method: http.MethodGet, Path: "/api/test/api-key", Actions: []policy.Action{policy.KeySelf},
		Summary: "Tells an API key, or the administrator, what it may do."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) (selfData, error) {
			self, err := access.TestKey(ctx, who)
			if err != nil {
				return selfData{}, err
			}
			out := selfOf(self)
			out.Usage, err = ownUsage(ctx, usage, who)
			return out, err
		})

	httpapi.Handle(a, httpapi.Op{Name: "session.list", Method: http.MethodGet, Path: "/api/admin/sessions", Actions: []policy.Action{policy.SessionsWrite},
		Summary: "Lists the administrator's running sessions, newest first."},
		func(ctx context.Context, who policy.Principal, _ httpapi.None) ([]sessionJSON, error) {
			sessions, err := access.ListSessions(ctx, who)
			return sessionsOf(sessions, keys.SessionID(authorizationOf(ctx))), err
		})

	httpapi.Handle(a, httpapi.Op{Name: "session.end", Method: http.MethodDelete, Path: "/api/admin/sessions/{id}", Actions: []policy.Action{policy.SessionsWrite},
		Errors: []string{"not_found"}, Summary: "Ends a session of the administrator."},
		func(ctx context.Context, who policy.Principal, in wire.IDRequest) (httpapi.None, error) {
			return httpapi.None{}, access.EndSession(ctx, who, in.ID)
		})
}

// authorizationOf is the Authorization header of the request that ctx belongs to.
func authorizationOf(ctx context.Context) string {
	return httpapi.ScopeOf(ctx).Request().Header.Get("Authorization")
}

type loginRequest struct {
	Username string `json:"username"`
	Password string `json:"password"`
	TOTP     string `json:"totp"` // six digits, or a recovery code; only while the second step is on
}

type loginData struct {
	Username  string       `json:"username"`
	Token     string       `json:"token"`
	ExpiresAt wire.Instant `json:"expiresAt"`
}

type accountRequest struct {
	CurrentPassword string `json:"currentPassword"`
	NewPassword     string `json:"newPassword"`
	NewUsername     string `json:"newUsername"`
}

// permissionFlags are the bits as clients read them (contract §5.5).
type permissionFlags struct {
	Text         bool `json:"text"`
	File         bool `json:"file"`
	MountView    bool `json:"mount_view"`
	MountUpload  bool `json:"mount_upload"`
	MountCopy    bool `json:"mount_copy"`
	MountRename  bool `json:"mount_rename"`
	MountDelete  bool `json:"mount_delete"`
	WebDAVRead   bool `json:"webdav_read"`
	WebDAVManage bool `json:"webdav_manage"`
}

func flagsOf(p policy.Permission) permissionFlags {
	has := func(bit policy.Permission) bool { return p&bit != 0 }
	return permissionFlags{
		Text: has(policy.PermText), File: has(policy.PermFileShare), MountView: has(policy.PermMountView),
		MountUpload: has(policy.PermMountUpload), MountCopy: has(policy.PermMountCopy), MountRename: has(policy.PermMountRename),
		MountDelete: has(policy.PermMountDelete), WebDAVRead: has(policy.PermWebDAVRead), WebDAVManage: has(policy.PermWebDAVManage),
	}
}

type selfData struct {
	Name        string          `json:"name"`
	BasicPath   string          `json:"basic_path"`
	Permissions permissionFlags `json:"permissions"`
	KeyInfo     selfInfo        `json:"key_info"`
	IsAdmin     bool            `json:"is_admin,omitempty"`
	Usage       usageJSON       `json:"usage"`
}

type selfInfo struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	BasicPath string `json:"basic_path"`
}

func selfOf(who policy.Principal) selfData {
	return selfData{Name: who.Name, BasicPath: who.BasicPath, Permissions: flagsOf(who.Permissions), IsAdmin: who.Kind == policy.Admin,
		KeyInfo: selfInfo{ID: who.ID, Name: who.Name, BasicPath: who.BasicPath}}
}

type sessionJSON struct {
	ID        string       `json:"id"`
	CreatedAt wire.Instant `json:"created_at"`
	ExpiresAt wire.Instant `json:"expires_at"`
	ClientIP  string       `json:"client_ip"`
	UserAgent string       `json:"user_agent"`
	IsCurrent bool         `json:"is_current"` // the session that asks
}

func sessionsOf(sessions []keys.Session, current string) []sessionJSON {
	out := make([]sessionJSON, len(sessions))
	for i, s := range sessions {
		out[i] = sessionJSON{ID: s.ID, CreatedAt: wire.Instant(s.CreatedAt), ExpiresAt: wire.Instant(s.ExpiresAt), ClientIP: s.ClientIP, UserAgent: s.UserAgent, IsCurrent: s.ID == current}
	}
	return out
}

// userAgent is how the client calls itself.
func userAgent(ctx context.Context) string {
	return httpapi.ScopeOf(ctx).Request().Header.Get("User-Agent")
}
