package storage

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"pasteport/ports"
	"pasteport/ports/objstore"
)

// The options that configs of S3 storages have as fields of their own.
const (
	OptionEndpoint  = "endpoint_url"
	OptionBucket    = "bucket_name"
	OptionRegion    = "region"
	OptionPathStyle = "path_style"
	OptionAccessKey = "access_key_id"
	OptionSecretKey = "secret_access_key"
)

// OptionRootPrefix is the folder of a bucket that mounts show in place of all of
// it. Every driver for S3 has it, described or not.
const OptionRootPrefix = "root_prefix"

// s3Type is the storage type whose options have fields of their own.
const s3Type = "S3"

// maxOption bounds an option and maxArea one of several lines, in bytes: a key or
// a chain of certificates fits in.
const (
	maxOption = 4 << 10
	maxArea   = 32 << 10
)

// areaType is the type of fields that hold several lines.
const areaType = "textarea"

// flatFields stand for the S3 options that a driver does not describe.
var flatFields = []objstore.Field{
	{Key: OptionEndpoint, Type: "url"}, {Key: OptionBucket, Type: "text"}, {Key: OptionRegion, Type: "text"}, {Key: OptionPathStyle, Type: "bool"}, {Key: OptionRootPrefix, Type: "text"},
}

// IsSecret reports whether an option is write-only. Credentials of S3 are,
// whatever a driver says.
func IsSecret(f objstore.Field) bool {
	return f.Secret || f.Key == OptionAccessKey || f.Key == OptionSecretKey
}

// IsFlat reports whether an option is a field of configs themselves, not one of
// their further options.
func IsFlat(key string) bool {
	switch key {
	case OptionEndpoint, OptionBucket, OptionRegion, OptionPathStyle, OptionAccessKey, OptionSecretKey:
		return true
	}
	return false
}

// fieldsOf are the options that configs of a driver have.
func fieldsOf(info objstore.Info) []objstore.Field {
	fields := slices.Clone(info.Fields)
	if info.StorageType != s3Type {
		return fields
	}
	for _, flat := range flatFields {
		if !slices.ContainsFunc(fields, func(f objstore.Field) bool { return f.Key == flat.Key }) {
			fields = append(fields, flat)
		}
	}
	return fields
}

// options are what a config hands to its driver, apart by who may see them.
type options struct {
	open    map[string]string
	secrets map[string]string
}

// merge takes from sent what the driver knows, checks it, and keeps what was
// there for the rest: what an import brought and the driver does not describe
// stays as well. A blank secret keeps the old one. What is sent and neither
// known nor stored is left out.
//
// Returns Invalid with the field's name.
func (old options) merge(info objstore.Info, sent map[string]string) (options, error) {
	next := options{maps.Clone(old.open), maps.Clone(old.secrets)}
	for _, f := range fieldsOf(info) {
		from, to := old.open, next.open
		if IsSecret(f) {
			from, to = old.secrets, next.secrets
		}
		value := from[f.Key]
		delete(to, f.Key)
		if given, ok := sent[f.Key]; ok && (strings.TrimSpace(given) != "" || !IsSecret(f)) {
			var err error
			if value, err = cleanChange(f, value, given); err != nil {
				return options{}, err
			}
		}
		if value == "" && f.Required {
			value = f.Default
		}
		if value == "" && f.Required {
			return options{}, ports.InvalidInput("field_required", f.Key)
		}
		if value != "" {
			to[f.Key] = value
		}
	}
	return next, nil
}

// cleanChange is clean for an option that may have a value. A root prefix that is
// sent back as it was stays as it was written, whatever an import brought.
func cleanChange(f objstore.Field, old, given string) (string, error) {
	if f.Key != OptionRootPrefix {
		return clean(f, given)
	}
	if strings.Trim(given, "/ ") == strings.Trim(old, "/ ") {
		return old, nil
	}
	return cleanFolder(f.Key, given)
}

// clean checks an option by its description and brings it into one form.
func clean(f objstore.Field, value string) (string, error) {
	value = strings.TrimSpace(value)
	most, refused := maxOption, unicode.IsControl
	if f.Type == areaType {
		value = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(value)
		most, refused = maxArea, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	}
	if len(value) > most || !utf8.ValidString(value) || strings.ContainsFunc(value, refused) {
		return "", ports.InvalidInput("field_invalid", f.Key)
	}
	if value == "" {
		return "", nil
	}
	switch f.Type {
	case "number":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return "", ports.InvalidInput("number_invalid", f.Key)
		}
		return strconv.FormatInt(n, 10), nil
	case "bool":
		on, ok := ports.ParseFlag(value)
		if !ok {
			return "", ports.InvalidInput("field_invalid", f.Key)
		}
		if on {
			return "1", nil
		}
		return "0", nil
	case "select":
		if !slices.ContainsFunc(f.Options, func(o objstore.Option) bool { return o.Value == value }) {
			return "", ports.InvalidInput("field_invalid", f.Key)
		}
	case "url":
		return cleanURL(f.Key, value)
	}
	if f.Key == OptionEndpoint {
		return cleanURL(f.Key, value)
	}
	return value, nil
}

// cleanURL accepts scheme, host and path, and takes slashes at the end away.
func cleanURL(field, value string) (string, error) {
	value = strings.TrimRight(value, "/")
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsAny(value, "?#\\ ") {
		return "", ports.InvalidInput("url_invalid", field)
	}
	return value, nil
}

// cleanFolder accepts a folder below the bucket and gives it without slashes
// at its ends.
func cleanFolder(field, value string) (string, error) {
	var segments []string
	for segment := range strings.SplitSeq(strings.TrimSpace(value), "/") {
		if segment != "" {
			segments = append(segments, segment)
		}
	}
	if len(segments) == 0 {
		return "", nil
	}
	folder := strings.Join(segments, "/")
	if objstore.CheckKey(folder) != nil || strings.Contains(folder, `\`) || strings.ContainsFunc(folder, unicode.IsControl) {
		return "", ports.InvalidInput("folder_invalid", field)
	}
	return folder, nil
}

// optionsOf takes a stored config apart. Secrets that cannot be unsealed are
// missing.
func optionsOf(sealer ports.Sealer, c *Config) options {
	open := map[string]string{}
	if c.Options != "" {
		_ = json.Unmarshal([]byte(c.Options), &open) // ours; a broken one starts anew
	}
	open[OptionEndpoint], open[OptionBucket], open[OptionRegion] = c.EndpointURL, c.BucketName, c.Region
	if c.PathStyle {
		open[OptionPathStyle] = "1"
	}
	return options{open, unseal(sealer, c)}
}

// unseal returns the secret options of a config; none when they cannot be read.
func unseal(sealer ports.Sealer, c *Config) map[string]string {
	secrets := map[string]string{}
	if len(c.Sealed) == 0 {
		return secrets
	}
	if plain, err := sealer.Open(c.Sealed, credentialPlace(c.ID)); err == nil {
		_ = json.Unmarshal(plain, &secrets)
	}
	return secrets
}

// put stores options in a config: the S3 ones in their fields, secrets sealed.
// Secrets that are what they were stay as they are sealed: sealed anew they
// would look changed.
func (o options) put(sealer ports.Sealer, c *Config) error {
	c.EndpointURL, c.BucketName, c.Region = o.open[OptionEndpoint], o.open[OptionBucket], o.open[OptionRegion]
	c.PathStyle = o.open[OptionPathStyle] == "1"
	rest := map[string]string{}
	for key, value := range o.open {
		if !IsFlat(key) {
			rest[key] = value
		}
	}
	data, err := json.Marshal(rest)
	if err != nil {
		return err
	}
	c.Options = string(data)
	if old := unseal(sealer, c); len(old) > 0 && maps.Equal(old, o.secrets) {
		return nil
	}
	c.Sealed, err = SealCredentials(sealer, c.ID, o.secrets)
	return err
}
