package db

import "context"

// keeper copies what the write-ahead log holds into the database file, on a
// connection of its own, so that the writer seldom has to stop for it.
type keeper struct {
	pool  *Pool
	stop  context.CancelFunc
	ended chan struct{}
}

func startKeeper(ctx context.Context, path string, w *writer) (*keeper, error) {
	p, err := OpenPool(ctx, path, 1, "_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	k := &keeper{pool: p, stop: stop, ended: make(chan struct{})}
	go k.run(ctx, w.grown)
	return k, nil
}

func (k *keeper) run(ctx context.Context, grown <-chan struct{}) {
	defer close(k.ended)
	for {
		select {
		case <-grown:
			// A failure is met again by the writer, which answers for it.
			_, _ = k.pool.DB.ExecContext(context.WithoutCancel(ctx), "PRAGMA wal_checkpoint(PASSIVE)")
		case <-ctx.Done():
			return
		}
	}
}

func (k *keeper) close() error {
	k.stop()
	<-k.ended
	return k.pool.Close()
}
