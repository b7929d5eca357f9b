package mounts

import (
	"context"
	"strings"
	"time"

	"pasteport/domain/internal/objects"
	"pasteport/ports"
	"pasteport/ports/objstore"
)

// lie is how the target of a copy or move lies to its source.
type lie int

const (
	apart  lie = iota
	same       // one file, or one folder
	inside     // the target lies in the source
	around     // the source lies in the target
)

// relate finds out how the ends of a plan lie to each other, before anything is
// copied, deleted or makes way. Where two storage configs may show one place
// under two names, as two hosts of one service or two mount points of one disk
// do, names prove nothing: then an object that is written beside the target and
// seen from the source tells. there is what is at the target; nil for nothing.
func (t *Tree) relate(ctx context.Context, p *plan, there *Entry) error {
	if p.lies = p.named(); p.lies == inside {
		p.inward = p.inwardByName()
	}
	oneHome := p.from.Storage.Origin() == p.to.Storage.Origin()
	if p.lies != apart || oneHome && p.to.Storage.Type != "LOCAL" || !p.folder && there == nil {
		return nil // what is not there cannot be the file that is
	}
	from, err := t.Bucket(ctx, p.from)
	if err != nil {
		return err
	}
	to, err := t.Bucket(ctx, p.to)
	if err != nil {
		return err
	}
	m := &meeting{t: t, plan: p, source: from, target: to}
	switch {
	case !p.folder && !there.Folder:
		return m.files(ctx)
	case oneHome: // a disk that is mounted below itself is left to its owner
		return nil
	case p.folder:
		if err := m.into(ctx, there); err != nil || p.lies != apart {
			return err
		}
	}
	if there == nil || !there.Folder {
		return nil
	}
	return m.around(ctx)
}

// named is how the ends lie by their names.
func (p *plan) named() lie {
	switch {
	case p.from.is(p.to):
		return same
	case p.from.holds(p.to):
		return inside
	case p.to.holds(p.from):
		return around
	}
	return apart
}

// inwardByName is the target as the source's config names it.
func (p *plan) inwardByName() string {
	return strings.TrimPrefix(p.to.Storage.Origin()+p.to.Prefix(), p.from.Storage.Origin())
}

// meeting looks whether the two ends of a plan are one place.
type meeting struct {
	t              *Tree
	plan           *plan
	source, target objstore.Bucket
}

// files tells whether the file at the target is the source itself.
func (m *meeting) files(ctx context.Context) error {
	from, to := m.plan.from, m.plan.to
	if !strings.EqualFold(Base(from.Path), Base(to.Path)) {
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
		m.plan.lies = same
	}
	return err
}

// into tells whether the target is the source folder, or lies in it.
func (m *meeting) into(ctx context.Context, there *Entry) error {
	p := m.plan
	beside, below := p.to.Prefix(), ""
	if there == nil || !there.Folder {
		beside, below = p.to.Parent().Prefix(), Base(p.to.Path)+"/"
	}
	return m.probe(ctx, beside, func(name string) error {
		err := objects.Walk(ctx, m.source, p.from.Prefix(), func(page []objstore.Object) error {
			for i := range page {
				if front, found := strings.CutSuffix(page[i].Key, name); found {
					p.lies, p.inward = inside, front+below
					return errSeen
				}
			}
			return ctx.Err()
		})
		if err == errSeen {
			err = nil
		}
		if p.inward == p.from.Prefix() && p.lies == inside {
			p.lies = same
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
func (m *meeting) around(ctx context.Context) error {
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
				p.lies = around
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
func (m *meeting) witness(ctx context.Context) (objstore.Object, error) {
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
func (m *meeting) seenBeside(ctx context.Context, target, source string) (seen bool, err error) {
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
func (m *meeting) probe(ctx context.Context, prefix string, look func(name string) error) error {
	name := probeFront + m.t.Random.ID()
	to, now := m.plan.to, m.t.Clock.Now()
	path := to.PathOf(prefix + name)
	j := &Journey{ID: m.t.Random.ID(), FromConfig: to.Storage.ID, FromKey: prefix + name, FromPath: path, ToConfig: to.Storage.ID, ToKey: prefix + name,
		ToPath: path, ToType: to.Storage.Type, Phase: Deleting, Worker: m.t.Random.ID(), CreatedAt: now, BeatAt: now}
	if err := m.t.Journal.Insert(ctx, j); err != nil {
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
func (m *meeting) clear(ctx context.Context, j *Journey) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	err := objects.FirstError(objects.Delete(ctx, m.target, []string{j.FromKey}))
	if err == nil {
		_, err = m.t.Journal.Delete(ctx, j.ID)
	}
	if err != nil {
		m.t.Report("remove a probe; it is tried again", err)
	}
	m.t.Changed(ctx, Change{Storage: j.FromConfig, Gone: []string{j.FromKey}})
	if from := m.plan.from.Storage.ID; from != j.FromConfig {
		m.t.Changed(ctx, Change{Storage: from})
	}
}

// elsewhere is how a plan lies whose target got another name beside the one
// that was asked for.
func (p *plan) elsewhere() {
	switch p.lies {
	case inside:
		dir, _ := split(p.inward)
		p.inward = dir + Base(p.to.Path) + "/"
	default:
		p.lies, p.inward = apart, ""
	}
}

// toward is what the copying itself puts below the source, as its config names
// it; empty when it does not.
func (p *plan) toward() string {
	if p.from.holds(p.to) {
		return p.inwardByName()
	}
	return p.inward
}

// ends are where a journey begins and ends, in words that are the same for all
// storage configs that are known to show one place.
func (t *Tree) ends(ctx context.Context, j *Journey) (ends [2]string, err error) {
	for i, end := range [2][2]string{{j.FromConfig, j.FromKey}, {j.ToConfig, j.ToKey}} {
		s, err := t.Storages.Storage(ctx, end[0])
		if err != nil && !ports.Is(err, ports.NotFound) {
			return ends, err
		}
		if err != nil { // it is gone, and its mounts with it
			s = Storage{ID: end[0]}
		}
		ends[i] = s.Origin() + end[1]
	}
	return ends, nil
}
