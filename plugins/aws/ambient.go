package aws

import (
	"context"
	"errors"
	"fmt"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"

	"pasteport/ports"
)

// Environment names the variables that the machine's own credentials may come
// from; the driver's process needs them.
var Environment = []string{
	"HOME", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
	"AWS_ROLE_ARN", "AWS_ROLE_SESSION_NAME", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
	"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
	"AWS_EC2_METADATA_DISABLED", "AWS_EC2_METADATA_SERVICE_ENDPOINT",
}

// ambient gives the credentials of the environment, the profile files, the
// container or the instance, by the SDK's default chain. Only a config that says
// so gets them.
func ambient(ctx context.Context, region string) (sdk.CredentialsProvider, error) {
	loaded, err := config.LoadDefaultConfig(ctx, config.WithRegion(region), config.WithCredentialsCacheOptions(func(o *sdk.CredentialsCacheOptions) {
		o.ExpiryWindow = 5 * time.Minute // asked again that long before they run out
	}))
	if err == nil {
		err = unattended(loaded.Credentials)
	}
	if err != nil {
		return nil, missing(err)
	}
	return sdk.CredentialsProviderFunc(func(ctx context.Context) (sdk.Credentials, error) {
		found, err := loaded.Credentials.Retrieve(ctx)
		if err != nil && ctx.Err() == nil {
			err = missing(err)
		}
		return found, err
	}), nil
}

// unattended refuses profiles where a person signs in or a program is run: they
// are for workstations.
func unattended(found sdk.CredentialsProvider) error {
	chain, ok := found.(sdk.CredentialProviderSource)
	if !ok {
		return fmt.Errorf("credentials of an unknown source: %T", found)
	}
	for _, source := range chain.ProviderSources() {
		switch source {
		case sdk.CredentialSourceSSO, sdk.CredentialSourceSSOLegacy, sdk.CredentialSourceLogin, sdk.CredentialSourceProcess:
			return errors.New("the profile's credentials need a person or a program (sso, login_session, credential_process), which a server does not ask")
		}
	}
	return nil
}

// missing is a machine that has no credentials of its own.
func missing(err error) error {
	return &ports.Error{Code: ports.BadGateway, Key: "storage_denied", Text: "storage_credentials_missing", Cause: err}
}
