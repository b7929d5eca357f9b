package aws

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"pasteport/ports"
)

// Environment names the variables that the machine's own credentials may come
// from; the driver's process needs them.
var Environment = []string{
	"HOME", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
	"AWS_ROLE_ARN", "AWS_ROLE_SESSION_NAME", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
	"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN", tokenFile,
	"AWS_EC2_METADATA_DISABLED", "AWS_EC2_METADATA_SERVICE_ENDPOINT",
}

const tokenFile = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"

// ambient gives the credentials of the environment, the profile files or the
// instance. Only a config that says so gets them.
func ambient(ctx context.Context, region string) (sdk.CredentialsProvider, error) {
	env, err := config.NewEnvConfig()
	if err != nil {
		return nil, missing(err)
	}
	found, err := machine{env, sdk.Config{Region: region, ConfigSources: []any{env}}}.find(ctx)
	if err != nil {
		return nil, missing(err)
	}
	// Asked again five minutes before they run out.
	kept := sdk.NewCredentialsCache(found, func(o *sdk.CredentialsCacheOptions) { o.ExpiryWindow = 5 * time.Minute })
	return sdk.CredentialsProviderFunc(func(ctx context.Context) (sdk.Credentials, error) {
		found, err := kept.Retrieve(ctx)
		if err != nil && ctx.Err() == nil {
			err = missing(err)
		}
		return found, err
	}), nil
}

// missing is a machine that has no credentials of its own.
func missing(err error) error {
	return &ports.Error{Code: ports.BadGateway, Key: "storage_denied", Text: "storage_credentials_missing", Cause: err}
}

// machine finds credentials in the order of Amazon's own tools. Profiles where
// a person signs in or a program is run are for workstations: they are
// refused, and the many clients behind them stay out of the server.
type machine struct {
	env  config.EnvConfig
	base sdk.Config // region and endpoints
}

func (m machine) find(ctx context.Context) (sdk.CredentialsProvider, error) {
	switch {
	case m.env.Credentials.HasKeys():
		return static(m.env.Credentials), nil
	case m.env.WebIdentityTokenFilePath != "":
		return m.webIdentity(m.env.WebIdentityTokenFilePath, m.env.RoleARN, m.env.RoleSessionName)
	}
	profile, err := m.profile(ctx)
	if err != nil {
		return nil, err
	}
	return m.ofProfile(&profile)
}

func static(keys sdk.Credentials) sdk.CredentialsProvider {
	return credentials.StaticCredentialsProvider{Value: keys}
}

// profile reads the profile that the environment names, else the default one,
// which may be absent.
func (m machine) profile(ctx context.Context) (config.SharedConfig, error) {
	name := m.env.SharedConfigProfile
	if name == "" {
		name = "default"
	}
	profile, err := config.LoadSharedConfigProfile(ctx, name, func(o *config.LoadSharedConfigOptions) {
		if m.env.SharedConfigFile != "" {
			o.ConfigFiles = []string{m.env.SharedConfigFile}
		}
		if m.env.SharedCredentialsFile != "" {
			o.CredentialsFiles = []string{m.env.SharedCredentialsFile}
		}
	})
	if absent := (config.SharedConfigProfileNotExistError{}); m.env.SharedConfigProfile == "" && errors.As(err, &absent) {
		return config.SharedConfig{}, nil
	}
	return profile, err
}

// ofProfile gives a profile's credentials; those of the role that it names,
// taken on with them, when it names one.
func (m machine) ofProfile(p *config.SharedConfig) (sdk.CredentialsProvider, error) {
	if p.WebIdentityTokenFile != "" && p.Source == nil && !p.Credentials.HasKeys() && p.CredentialSource == "" {
		return m.webIdentity(p.WebIdentityTokenFile, p.RoleARN, p.RoleSessionName)
	}
	own, err := m.beforeRole(p)
	if err != nil || p.RoleARN == "" {
		return own, err
	}
	if p.MFASerial != "" {
		return nil, errors.New("the profile's role asks for a second factor")
	}
	as := m.base.Copy()
	as.Credentials = sdk.NewCredentialsCache(own)
	return stscreds.NewAssumeRoleProvider(sts.NewFromConfig(as), p.RoleARN, func(o *stscreds.AssumeRoleOptions) {
		o.RoleSessionName = p.RoleSessionName
		if p.ExternalID != "" {
			o.ExternalID = &p.ExternalID
		}
		if p.RoleDurationSeconds != nil {
			o.Duration = *p.RoleDurationSeconds
		}
	}), nil
}

func (m machine) beforeRole(p *config.SharedConfig) (sdk.CredentialsProvider, error) {
	switch {
	case p.Source != nil:
		return m.ofProfile(p.Source)
	case p.Credentials.HasKeys():
		return static(p.Credentials), nil
	case p.CredentialSource == "Environment":
		return static(m.env.Credentials), nil
	case p.CredentialSource == "Ec2InstanceMetadata":
		return m.instance(), nil
	case p.SSOSession != nil || p.SSOSessionName != "" || p.SSOStartURL != "" || p.LoginSession != "" || p.CredentialProcess != "":
		return nil, errors.New("the profile's credentials need a person or a program (sso, login_session, credential_process), which a server does not ask")
	}
	if container, ok, err := m.container(); ok || err != nil {
		return container, err
	}
	if p.CredentialSource != "" {
		return nil, fmt.Errorf("the profile's credential_source %q gives nothing here", p.CredentialSource)
	}
	return m.instance(), nil
}

// webIdentity takes on a role with the token in a file, as in Kubernetes.
func (m machine) webIdentity(file, role, session string) (sdk.CredentialsProvider, error) {
	if role == "" {
		return nil, errors.New("a web identity without a role")
	}
	return stscreds.NewWebIdentityRoleProvider(sts.NewFromConfig(m.base), role, stscreds.IdentityTokenFile(file), func(o *stscreds.WebIdentityRoleOptions) {
		o.RoleSessionName = session
	}), nil
}

// instance asks the instance's metadata service.
func (m machine) instance() sdk.CredentialsProvider {
	return ec2rolecreds.New(func(o *ec2rolecreds.Options) { o.Client = imds.NewFromConfig(m.base) })
}

// container asks the container's agent. ok says whether there is one.
func (m machine) container() (provider sdk.CredentialsProvider, ok bool, err error) {
	address := m.env.ContainerCredentialsEndpoint
	if relative := m.env.ContainerCredentialsRelativePath; relative != "" {
		address = "http://169.254.170.2" + relative
	}
	if address == "" {
		return nil, false, nil
	}
	if err := agent(address); err != nil {
		return nil, false, err
	}
	return endpointcreds.New(address, func(o *endpointcreds.Options) {
		o.AuthorizationToken = m.env.ContainerAuthorizationToken
		if file := os.Getenv(tokenFile); file != "" {
			o.AuthorizationTokenProvider = endpointcreds.TokenProviderFunc(func() (string, error) {
				token, err := os.ReadFile(file) // it is renewed there
				return string(token), err
			})
		}
	}), true, nil
}

// agents are where containers' agents answer besides the machine itself.
var agents = []netip.Addr{netip.MustParseAddr("169.254.170.2"), netip.MustParseAddr("169.254.170.23"), netip.MustParseAddr("fd00:ec2::23")}

// agent refuses to send the container's token over a network in the clear.
func agent(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	if u.Scheme == "https" {
		return nil
	}
	hosts, err := net.LookupHost(u.Hostname())
	if err != nil {
		return err
	}
	for _, host := range hosts {
		if at, err := netip.ParseAddr(host); err != nil || (!at.IsLoopback() && !slices.Contains(agents, at)) {
			return fmt.Errorf("the address of the container's credentials is not on this machine: %s", u.Host)
		}
	}
	return nil
}
