package storage

import (
	"context"
	"fmt"

	"pasteport/ports"
)

// Reseal seals credentials anew, of every config where outdated says that an
// older master key has sealed them, and returns how many there were. It may be
// repeated and goes on where it was cut short. It asks no policy: it is for the
// operator's command line.
func Reseal(ctx context.Context, repo ConfigRepository, sealer ports.Sealer, outdated func(sealed []byte) bool) (int, error) {
	done, seen := 0, 0
	for {
		page, err := repo.List(ctx, ConfigFilter{Paging: ports.Paging{Offset: seen}})
		if err != nil {
			return done, err
		}
		for _, config := range page.Items {
			if len(config.Sealed) == 0 || !outdated(config.Sealed) {
				continue
			}
			if err := resealOne(ctx, repo, sealer, config.ID); err != nil {
				return done, fmt.Errorf("seal the credentials of storage config %s anew: %w", config.ID, err)
			}
			done++
		}
		if seen += len(page.Items); len(page.Items) == 0 || seen >= page.Total {
			return done, nil
		}
	}
}

func resealOne(ctx context.Context, repo ConfigRepository, sealer ports.Sealer, id string) error {
	_, err := repo.Update(ctx, id, func(c *Config) error {
		plain, err := sealer.Open(c.Sealed, credentialPlace(id))
		if err != nil {
			return err
		}
		c.Sealed, err = sealer.Seal(plain, credentialPlace(id))
		return err
	})
	return err
}
