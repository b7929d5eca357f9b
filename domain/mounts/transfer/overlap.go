package transfer

import (
	"context"
	"strings"
	"time"

	"pasteport/domain/internal/objects"
	"pasteport/domain/mounts"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// overlap is how the target of a copy or move lies to its source.
type overlap int

const (
	apart  overlap = iota
	same           // one file, or one folder
	inside         // the target lies in the source
	around         // the source lies in the target
)

// relate finds out how the ends of a plan lie to each other, before anything is
// copied, deleted or makes way. Where two storage configs may show one place
// under two names, as two hosts of one service or two mount points of one disk
// do, names prove nothing: then an object that is written beside the target and
// seen from the source tells. there is what is at the target; nil for nothing.
func (t *Transfers) relate(ctx context.Context, p *plan, there *mounts.Entry) error {
	if p.overlap = p.overlapByName(); p.overlap == inside {
		p.inward = p.inwardByName()
	}
	oneHome := p.from.Storage.Origin() == p.to.Storage.Origin()
	if p.overlap != apart || oneHome && !p.to.Storage.OwnDisk || !p.folder && there == nil {
		return nil // what is not there cannot be the file that is
	}
	from, err := t.tree.Bucket(ctx, p.from)
	if err != nil {
		return err
	}
	to, err := t.tree.Bucket(ctx, p.to)
	if err != nil {
		return err
	}
	m := &overlapCheck{t: t, plan: p, source: from, target: to}
	switch {
	case !p.folder && !there.Folder:
		return m.files(ctx)
	case oneHome: // a disk that is mounted below itself is left to its owner
		return nil
	case p.folder:
		if err := m.into(ctx, there); err != nil || p.overlap != apart {
			return err
		}
	}
	if there == nil || !there.Folder {
		return nil
	}
	return m.around(ctx)
}

// overlapByName is how the ends lie by their names.
func (p *plan) overlapByName() overlap {
	switch {
	case p.from.Is(p.to):
		return same
	case p.from.Holds(p.to):
		return inside
	case p.to.Holds(p.from):
		return around
	}
	return apart
}

// inwardByName is the target as the source's config names it.
func (p *plan) inwardByName() string {
	return strings.TrimPrefix(p.to.Storage.Origin()+p.to.Prefix(), p.from.Storage.Origin())
}

// overlapCheck looks whether the two ends of a plan are one place.
type overlapCheck struct {
	t              *Transfers
	plan           *plan
	source, target objstore.Bucket
}

// files tells whether the file at the target is the source itself.
func (m *overlapCheck) files(ctx context.Context) error {
	from, to := m.plan.from, m.plan.to
	if !strings.EqualFold(mounts.Base(from.Path), mounts.Base(to.Path)) {
		return nil
	}
	original, err := m.source.Stat(ctx, from.Key())
	if err != nil {
		return err
	}
	there, err := m.target.Stat(ctx, to.Key())
	if ports.Is(err, ports.NotFound) || err == nil && there.Size != original.Size {
		return nil
	}
	if err != nil {
		return err
	}
	seen, err := m.seenBeside(ctx, to.Parent().Prefix(), from.Parent().Prefix())
	if seen {
		m.plan.overlap = same
	}
	return err
}

// into tells whether the target is the source folder, or lies in it.
func (m *overlapCheck) into(ctx context.Context, there *mounts.Entry) error {
	p := m.plan
	beside, below := p.to.Prefix(), ""
	if there == nil || !there.Folder {
		beside, below = p.to.Parent().Prefix(), mounts.Base(p.to.Path)+"/"
	}
	return m.probe(ctx, beside, func(name string) error {
		err := objects.Walk(ctx, m.source, p.from.Prefix(), func(page []objstore.Object) error {
			for i := range page {
				if front, found := strings.CutSuffix(page[i].Key, name); found {
					p.overlap, p.inward = inside, front+below
					return errSeen
				}
			}
			return ctx.Err()
		})
		if err == errSeen {
			err = nil
		}
		if p.inward == p.from.Prefix() && p.overlap == inside {
			p.overlap = same
		}
		return err
	})
}

// errSeen ends a walk that has found what it looked for.
var errSeen = &ports.Error{Code: ports.Internal, Key: "internal"}

// lookalikes is how many objects at the target may look like one of the source
// before that alone counts as meeting.
const lookalikes = 64

// around tells whether the source lies in the folder at the target: then one of
// the source's objects is seen there.
func (m *overlapCheck) around(ctx context.Context) error {
	p := m.plan
	witness, err := m.witness(ctx)
	if err != nil || witness.Key == "" {
		return err
	}
	front, name := split(witness.Key)
	looked := map[string]bool{}
	err = objects.Walk(ctx, m.target, p.to.Prefix(), func(page []objstore.Object) error {
		for i := range page {
			dir, base := split(page[i].Key)
			if base != name || page[i].Size != witness.Size || looked[dir] {
				continue
			}
			looked[dir] = true
			seen, err := m.seenBeside(ctx, dir, front)
			if err != nil {
				return err
			}
			if seen || len(looked) > lookalikes {
				p.overlap = around
				return errSeen
			}
		}
		return ctx.Err()
	})
	if err == errSeen {
		return nil
	}
	return err
}

// witness is an object of the source that is easy to tell from others: a file
// itself, or the largest among the first of a folder. Its key is empty when the
// source is.
func (m *overlapCheck) witness(ctx context.Context) (objstore.Object, error) {
	p := m.plan
	if !p.folder {
		return m.source.Stat(ctx, p.from.Key())
	}
	page, err := m.source.List(ctx, objstore.ListQuery{Prefix: p.from.Prefix()})
	var best objstore.Object
	for _, o := range page.Objects {
		if best.Key == "" || o.Size > best.Size || strings.HasSuffix(best.Key, "/") && !strings.HasSuffix(o.Key, "/") {
			best = o
		}
	}
	return best, err
}

// split cuts a key into the prefix of its folder and its name; the name of a
// folder marker ends in "/".
func split(key string) (dir, name string) {
	i := strings.LastIndexByte(strings.TrimSuffix(key, "/"), '/')
	return key[:i+1], key[i+1:]
}

// seenBeside reports whether what is written to a folder of the target is seen
// in a folder of the source.
func (m *overlapCheck) seenBeside(ctx context.Context, target, source string) (seen bool, err error) {
	err = m.probe(ctx, target, func(name string) (err error) {
		seen, err = objects.Exists(ctx, m.source, source+name)
		return err
	})
	return seen, err
}

// Probes are small objects that tell by their names what they are.
const (
	probeFront = ".pasteport-probe-"
	probeText  = "Written to see whether two storage configs show the same place. It may be deleted."
	probeTime  = 20 * time.Second // for its removal
)

// probe writes an object with a name of its own at a prefix of the target, lets
// look look for it, and removes it. It stands in the journal meanwhile, as an
// original whose copy is there, so that Recover deletes what a crash leaves.
func (m *overlapCheck) probe(ctx context.Context, prefix string, look func(name string) error) error {
	name := probeFront + m.t.tree.Random.ID()
	to, now := m.plan.to, m.t.tree.Clock.Now()
	path := to.PathOf(prefix + name)
	j := &MoveRecord{ID: m.t.tree.Random.ID(), FromConfig: to.Storage.ID, FromKey: prefix + name, FromPath: path, ToConfig: to.Storage.ID, ToKey: prefix + name,
		ToPath: path, ToType: to.Storage.Type, Phase: Deleting, Worker: m.t.tree.Random.ID(), CreatedAt: now, BeatAt: now}
	if err := m.t.journal.Insert(ctx, j); err != nil {
		return ports.Wrap("note a probe in the journal", err)
	}
	defer m.clear(ctx, j)
	_, err := m.target.Write(ctx, j.FromKey, strings.NewReader(probeText), objstore.WriteOptions{Size: int64(len(probeText)), ContentType: "text/plain"})
	if err != nil {
		return err
	}
	return look(name)
}

// clear removes a probe, also one whose writing may have failed, and what
// listings may have seen of it.
func (m *overlapCheck) clear(ctx context.Context, j *MoveRecord) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	err := objects.FirstError(objects.Delete(ctx, m.target, []string{j.FromKey}))
	if err == nil {
		_, err = m.t.journal.Delete(ctx, j.ID)
	}
	if err != nil {
		m.t.tree.Report("remove a probe; it is tried again", err)
	}
	m.t.tree.Changed(ctx, mounts.Change{Storage: j.FromConfig, Gone: []string{j.FromKey}})
	if from := m.plan.from.Storage.ID; from != j.FromConfig {
		m.t.tree.Changed(ctx, mounts.Change{Storage: from})
	}
}

// elsewhere is how a plan lies whose target got another name beside the one
// that was asked for.
func (p *plan) elsewhere() {
	switch p.overlap {
	case inside:
		dir, _ := split(p.inward)
		p.inward = dir + mounts.Base(p.to.Path) + "/"
	default:
		p.overlap, p.inward = apart, ""
	}
}

// toward is what the copying itself puts below the source, as its config names
// it; empty when it does not.
func (p *plan) toward() string {
	if p.from.Holds(p.to) {
		return p.inwardByName()
	}
	return p.inward
}

// ends are where a move begins and ends, in words that are the same for all
// storage configs that are known to show one place.
func (t *Transfers) ends(ctx context.Context, j *MoveRecord) (ends [2]string, err error) {
	for i, end := range [2][2]string{{j.FromConfig, j.FromKey}, {j.ToConfig, j.ToKey}} {
		s, err := t.tree.Storages.Storage(ctx, end[0])
		if err != nil && !ports.Is(err, ports.NotFound) {
			return ends, err
		}
		if err != nil { // it is gone, and its mounts with it
			s = objstore.Storage{ID: end[0]}
		}
		ends[i] = s.Origin() + end[1]
	}
	return ends, nil
}
