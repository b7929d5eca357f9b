package storage

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

// Times of a test (contract §8: 25 s in all).
const (
	testTime    = 18 * time.Second // of all steps
	stepTime    = 8 * time.Second  // of one step
	cleanupTime = 4 * time.Second  // for what the test has left
)

// Outcome is how a step of a test ended.
type Outcome string

// The outcomes. Warning means that it works, but not all of it.
const (
	Passed  Outcome = "ok"
	Warning Outcome = "warning"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
)

// The steps of a test, in their order.
const (
	StepConnect   = "connect"
	StepList      = "list"
	StepWrite     = "write"
	StepRead      = "read"
	StepRange     = "range"
	StepMultipart = "multipart"
	StepBrowser   = "browser"
	StepCORS      = "cors"
	StepDelete    = "delete"
	StepClock     = "clock"
)

// Step is what one step of a test found.
type Step struct {
	Name    string
	Outcome Outcome
	Took    time.Duration
	// Cause and Remedy name messages of the edge's catalogue; empty when there
	// is nothing to say. Params fill their placeholders.
	Cause  string
	Remedy string
	Params map[string]any
	// Code is the machine code of the error; empty without one.
	Code string
	// Messages are the driver's own words for Cause, by language tag; Detail is
	// what it tells the log. Both are empty where it says nothing.
	Messages map[string]string
	Detail   string
}

// OK reports whether nothing is broken.
func (s Step) OK() bool { return s.Outcome != Failed }

// Report is the result of a test. Nothing in it comes from the body of a
// storage's answer, unless a driver of others puts it into its words.
type Report struct {
	Config Config
	Steps  []Step

	Prefix  string            // where the test worked
	Objects []objstore.Object // the first of the listing
	Key     string            // of the object that the server wrote
	Cleaned bool              // nothing of the test is left

	Browser BrowserReport
	CORS    CORSReport
}

// Step returns a step by its name; the zero Step when it was not reached.
func (r *Report) Step(name string) Step {
	for _, s := range r.Steps {
		if s.Name == name {
			return s
		}
	}
	return Step{}
}

// OK is the verdict: listing, cross-origin rules and a browser's upload work.
func (r *Report) OK() bool {
	for _, name := range []string{StepConnect, StepList, StepCORS, StepBrowser} {
		if !r.Step(name).OK() {
			return false
		}
	}
	return true
}

// Verdict sums a report up.
type Verdict string

// The verdicts. What is partial can be listed or written to, at least.
const (
	Full     Verdict = "full"
	Partial  Verdict = "partial"
	Unusable Verdict = "unusable"
)

// Verdict sums the steps up.
func (r *Report) Verdict() Verdict {
	if !slices.ContainsFunc(r.Steps, func(s Step) bool { return !s.OK() }) {
		return Full
	}
	if r.Step(StepConnect).OK() && (r.Step(StepList).OK() || r.Step(StepWrite).OK()) {
		return Partial
	}
	return Unusable
}

// Tested is how a test ended.
type Tested struct {
	At      time.Time
	Verdict Verdict
}

func (c *Configs) lastTest(id string) *Tested {
	tested, ok := c.tests.Load(id)
	if !ok {
		return nil
	}
	last := tested.(Tested)
	return &last
}

// BrowserReport is what a browser's upload met.
type BrowserReport struct {
	Key                string
	Address            string // of the signed request, without its signature
	Sign, Put, Inspect Phase
	Status             int // of the PUT
	ETag               string
	Object             objstore.Object
}

// Phase is a part of a step.
type Phase struct {
	OK   bool
	Took time.Duration
}

// CORSReport is what the storage tells pages of other origins.
type CORSReport struct {
	Origin        string // of the page that asked
	Status        int
	AllowOrigin   string
	AllowMethods  string
	AllowHeaders  string
	ExposeHeaders string
	MaxAge        string
}

// Page is where a test is asked from.
type Page struct {
	Origin     string // scheme and host of the page
	SameOrigin bool   // it is this server's own
	// Own answers requests to this server, as drivers without links of their
	// own need them.
	Own ports.Prober
}

// Test tries all that this product does with a storage, with objects of its
// own that it removes. It ends within 25 s. It asks admin.storage.write.
//
// Returns NotFound for an unknown config; what fails inside the test is told by
// the report.
func (c *Configs) Test(ctx context.Context, who policy.Principal, id string, page Page) (*Report, error) {
	if err := c.askFor(ctx, who, policy.StorageWrite, id); err != nil {
		return nil, err
	}
	config, err := c.repo.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	report := c.Examine(ctx, config, page)
	if err := c.used(ctx, id); err != nil {
		return nil, err
	}
	report.Config = c.visible(who, *config)
	return report, nil
}

// Examine is Test of a stored config, without its Config in the report, for those
// who have shown that they may.
func (c *Configs) Examine(ctx context.Context, config *Config, page Page) *Report {
	e := &examination{stored: true, page: page}
	e.run(ctx, c, config)
	c.tests.Store(config.ID, Tested{c.Clock.Now().UTC(), e.report.Verdict()})
	return &e.report
}

// TestDraft is Test before saving: of a new config, or with an id of a stored
// one with changes. Where the server itself answers for the storage, browsers
// cannot be tried before it is saved.
//
// Returns NotFound for an unknown id and Invalid as Create and Update do.
func (c *Configs) TestDraft(ctx context.Context, who policy.Principal, id string, d Draft, page Page) (*Report, error) {
	if err := c.askFor(ctx, who, policy.StorageWrite, id); err != nil {
		return nil, err
	}
	config, err := c.draft(ctx, who, id, d)
	if err != nil {
		return nil, err
	}
	e := &examination{page: page}
	e.run(ctx, c, config)
	e.report.Config = c.visible(who, *config)
	return &e.report, nil
}

// draft is the config that saving d would make.
func (c *Configs) draft(ctx context.Context, who policy.Principal, id string, d Draft) (*Config, error) {
	if id == "" {
		return c.prepare(ctx, who, d)
	}
	config, err := c.repo.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	info, err := c.plan(ctx, config, d)
	if err != nil {
		return nil, err
	}
	return config, c.apply(config, info, d)
}

// used notes that a config was tried.
func (c *Configs) used(ctx context.Context, id string) error {
	now := c.Clock.Now().UTC()
	_, err := c.repo.Update(context.WithoutCancel(ctx), id, func(config *Config) error {
		config.LastUsed = &now
		return nil
	})
	if ports.Is(err, ports.NotFound) {
		return nil // deleted meanwhile
	}
	return err
}

// examination is a test under way.
type examination struct {
	ports.Clock
	remote ports.Prober
	page   Page
	stored bool // the config is in the database as it is tested
	info   objstore.Info
	bucket objstore.Bucket
	report Report
	name   string            // front of the names of our objects
	left   []string          // keys of ours that may exist
	hide   *strings.Replacer // blots out the config's secrets
	upload func(context.Context)
	theirs time.Time // the storage's clock
	ours   time.Time // ours at that moment
}

// run makes all steps and removes what they left.
func (e *examination) run(ctx context.Context, c *Configs, config *Config) {
	e.report.Config = *config
	e.Clock, e.remote, e.hide = c.Clock, c.Prober, blotting(unseal(c.Sealer, config))
	if config.DefaultFolder != "" {
		e.report.Prefix = config.DefaultFolder + "/"
	}
	e.name = e.report.Prefix + "__test_" + strconv.FormatInt(c.Clock.Now().UnixMilli(), 10) + "_" + c.Random.Text(6)
	e.report.CORS.Origin = e.page.Origin
	work, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	e.step(work, StepConnect, func(ctx context.Context) error {
		var err error
		if e.info, err = c.info(ctx, config.Driver); err != nil {
			return err
		}
		e.bucket, err = c.Opener.openBucket(ctx, config)
		if err == nil && c.placed(config) != nil {
			return &finding{outcome: Warning, cause: "doctor.outside", remedy: "doctor.outside_remedy"}
		}
		return err
	})
	if e.bucket != nil {
		defer e.bucket.Close()
		defer e.cleanUp(ctx)
	}
	for _, s := range []struct {
		name string
		do   func(context.Context) error
	}{
		{StepList, e.list}, {StepWrite, e.write}, {StepRead, e.read}, {StepRange, e.readRange}, {StepMultipart, e.multipart},
		{StepBrowser, e.browser}, {StepCORS, e.cors}, {StepDelete, e.remove}, {StepClock, e.clock},
	} {
		if e.bucket == nil {
			e.add(Step{Name: s.name, Outcome: Skipped, Cause: "doctor.after_connect"})
			continue
		}
		e.step(work, s.name, s.do)
	}
}

// blotting takes secrets out of a text.
func blotting(secrets map[string]string) *strings.Replacer {
	var pairs []string
	for _, secret := range secrets {
		for line := range strings.Lines(secret) { // of a key of several lines, each
			if line = strings.TrimSpace(line); len(line) >= 4 && !strings.HasPrefix(line, "-----") {
				pairs = append(pairs, line, "[secret]")
			}
		}
	}
	return strings.NewReplacer(pairs...)
}

// finding ends a step with words of its own.
type finding struct {
	outcome       Outcome
	cause, remedy string
	params        map[string]any
}

// Error implements error; nobody reads it.
func (f *finding) Error() string { return f.cause }

// skip ends a step that cannot be made.
func skip(cause string) error { return &finding{outcome: Skipped, cause: cause} }

// step runs one step inside its time.
func (e *examination) step(ctx context.Context, name string, do func(context.Context) error) {
	step := Step{Name: name}
	if ctx.Err() != nil {
		step.Outcome, step.Cause, step.Remedy = Failed, "doctor.no_time", "doctor.unreachable_remedy"
		e.add(step)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	start := time.Now()
	err := do(ctx)
	step.Took = time.Since(start)
	var found *finding
	switch {
	case err == nil:
		step.Outcome = Passed
	case errors.As(err, &found):
		step.Outcome, step.Cause, step.Remedy, step.Params = found.outcome, found.cause, found.remedy, found.params
	default:
		e.explain(&step, err)
	}
	e.add(step)
}

func (e *examination) add(s Step) { e.report.Steps = append(e.report.Steps, s) }

// cleanUp removes what the steps have left, also when their time is over.
func (e *examination) cleanUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	if e.upload != nil {
		e.upload(ctx)
	}
	if len(e.left) > 0 {
		e.drop(ctx)
	}
	e.report.Cleaned = len(e.left) == 0
}

// drop deletes our objects and remembers those that are still there.
func (e *examination) drop(ctx context.Context) error {
	failed, err := e.bucket.Delete(ctx, e.left...)
	if err != nil {
		return err
	}
	e.left = slices.DeleteFunc(e.left, func(key string) bool { return failed[key] == nil })
	for _, err := range failed {
		return err
	}
	return nil
}
