package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"pasteport/adapters/pluginhost"
	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/objstore/conformance"
)

// pluginTestCommand asks a driver whether it keeps the contract.
type pluginTestCommand struct {
	Name    string `arg:"" help:"Name of a built-in driver, or of an approved program of the plugin folder."`
	Options string `placeholder:"FILE" help:"JSON object with the fields of its storage config, secrets included; \"-\" is the standard input."`
	Prefix  string `default:"pasteport-test" help:"Folder of the storage to work in. What the test makes there is removed."`
}

// Run tests the driver in a folder of its own and prints how each case ended.
func (c *pluginTestCommand) Run(ctx context.Context, s *settings) error {
	options, err := readOptions(c.Options)
	if err != nil {
		return err
	}
	log := quietLog(s)
	programs, err := pluginFolder(s, log).Programs()
	if err != nil {
		return err
	}
	host := pluginhost.New(pluginhost.Options{InProcess: builtIn(s.disk()), Processes: processes(), Programs: programs, Logger: log, Reach: s.storageReach()})
	defer host.Close()
	driver, err := host.Driver(c.Name)
	if err != nil {
		return fmt.Errorf("there is no driver %q: %w", c.Name, err)
	}
	info, err := driver.Info(ctx)
	if err != nil {
		return err
	}
	bucket, err := driver.Open(ctx, objstore.Config{ID: "plugin-test", Options: options})
	if err != nil {
		return refusedOptions(err)
	}
	defer bucket.Close()
	return testBucket(ctx, os.Stdout, bucket, info, strings.Trim(c.Prefix, "/")+"/"+rand.Text()[:8]+"/")
}

// refusedOptions names the field that a driver refuses, and what it says of it in
// its own words where it has some.
func refusedOptions(err error) error {
	var told *ports.Error
	if !errors.As(err, &told) {
		return err
	}
	if text := told.Messages["en"]; text != "" {
		err = fmt.Errorf("%s (%w)", printable(text), err)
	}
	if field := told.Params["field"]; field != nil {
		err = fmt.Errorf("the field %v: %w", field, err)
	}
	return err
}

// readOptions reads the fields of a storage config.
func readOptions(file string) (map[string]string, error) {
	in, options := io.Reader(os.Stdin), map[string]string{}
	if file == "" {
		return options, nil
	}
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	if err := json.NewDecoder(in).Decode(&options); err != nil {
		return nil, fmt.Errorf("options: an object of texts is wanted: %w", err)
	}
	return options, nil
}

// cleanTime bounds the removal of what a case left.
const cleanTime = time.Minute

// testBucket runs the suite below prefix, each case in a folder of its own.
func testBucket(ctx context.Context, out io.Writer, bucket objstore.Bucket, info objstore.Info, prefix string) error {
	if err := objstore.CheckKey(prefix); err != nil {
		return fmt.Errorf("the prefix %q: %w", prefix, err)
	}
	want := conformance.Want{Features: info.Features, Limits: info.Limits, Signs: info.Features.HTTPLinks, MaxKey: objstore.MaxKey - len(prefix) - len("00/")}
	n := 0
	fresh := func() (objstore.Bucket, func() error) {
		n++
		b := conformance.Below(bucket, fmt.Sprintf("%s%02d/", prefix, n%100))
		return b, func() error {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTime)
			defer cancel()
			return conformance.Empty(ctx, b)
		}
	}
	first, clean := fresh()
	want, err := conformance.Find(ctx, first, want)
	if err := errors.Join(err, clean()); err != nil {
		return fmt.Errorf("the storage cannot be used: %w", err)
	}
	suite := conformance.Suite{Want: want, Open: func(t conformance.T) objstore.Bucket {
		b, clean := fresh()
		t.Cleanup(func() {
			if err := clean(); err != nil {
				t.Errorf("what the case made could not be removed: %v", err)
			}
		})
		return b
	}}
	failed := suite.Report(ctx, func(r conformance.Result) {
		state := "ok  "
		if len(r.Failures) > 0 {
			state = "FAIL"
		}
		fmt.Fprintf(out, "%s  %s (%s)\n", state, r.Name, r.Took.Round(time.Millisecond))
		for _, failure := range r.Failures {
			fmt.Fprintf(out, "      %s\n", printable(strings.ReplaceAll(failure, "\n", " ")))
		}
	})
	rest, cleaned := conformance.Below(bucket, prefix), error(nil)
	func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTime)
		defer cancel()
		cleaned = conformance.Empty(ctx, rest)
	}()
	if failed > 0 {
		return errors.Join(fmt.Errorf("%d of %d cases failed", failed, len(suite.Cases())), cleaned)
	}
	_, err = fmt.Fprintf(out, "%s keeps the contract: %d cases\n", info.Name, len(suite.Cases()))
	return errors.Join(err, cleaned)
}
