package storage

import "context"

// Adopt completes a storage config of an earlier installation: the fields of
// the draft are checked as those of a new config are, and its secrets are
// sealed. The storage itself is not asked. It stores nothing and asks no policy:
// it is for the operator's command line.
//
// Returns Invalid for a bad field and names it.
func (c *Configs) Adopt(ctx context.Context, config Config, d Draft) (*Config, error) {
	config.SignatureExpiresIn = defaultSignatureSeconds
	info, err := c.plan(ctx, &config, d)
	if err != nil {
		return nil, err
	}
	if err := c.apply(&config, info, d); err != nil {
		return nil, err
	}
	return &config, nil
}
