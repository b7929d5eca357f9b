package keys

import (
	"context"
	"fmt"

	"pasteport/ports"
)

// Reseal seals the secrets of second steps anew, of every administrator where
// outdated says that an older master key has sealed it, and returns how many
// there were. It may be repeated. It asks no policy: it is for the operator's
// command line, while no server runs.
func Reseal(ctx context.Context, admins AdminRepository, steps TOTPRepository, sealer ports.Sealer, outdated func(sealed []byte) bool) (int, error) {
	page, err := admins.List(ctx, AdminFilter{})
	if err != nil {
		return 0, fmt.Errorf("list administrators: %w", err)
	}
	done := 0
	for _, admin := range page.Items {
		step, err := steps.Get(ctx, admin.ID)
		if ports.Is(err, ports.NotFound) || err == nil && !outdated(step.Sealed) {
			continue
		}
		if err == nil {
			err = resealStep(ctx, steps, sealer, step)
		}
		if err != nil {
			return done, fmt.Errorf("seal the second step of administrator %s anew: %w", admin.ID, err)
		}
		done++
	}
	return done, nil
}

func resealStep(ctx context.Context, steps TOTPRepository, sealer ports.Sealer, step *TOTP) error {
	secret, err := sealer.Open(step.Sealed, totpPlace(step.AdminID))
	if err != nil {
		return err
	}
	if step.Sealed, err = sealer.Seal(secret, totpPlace(step.AdminID)); err != nil {
		return err
	}
	return steps.Put(ctx, step)
}
