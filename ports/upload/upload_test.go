package upload

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pasteport/ports"
	"pasteport/ports/objstore"
	"pasteport/ports/policy"
)

func TestAFileIsCutByOneRule(t *testing.T) {
	const p = PartSize
	for name, c := range map[string]struct {
		size, partSize, count int64
		want                  Cut
		bad                   bool
	}{
		"nothing known":           {0, 0, 0, Cut{0, p, 1}, false},
		"one byte":                {1, 0, 0, Cut{1, p, 1}, false},
		"one part exactly":        {p, 0, 0, Cut{p, p, 1}, false},
		"a byte more":             {p + 1, 0, 0, Cut{p + 1, p, 2}, false},
		"one small part":          {10, 10, 0, Cut{10, 10, 1}, false},
		"small parts":             {100, 10, 0, Cut{}, true},
		"two small parts":         {0, p - 1, 2, Cut{}, true},
		"more parts than needed":  {p + 1, 0, 7, Cut{p + 1, p, 7}, false},
		"fewer parts than needed": {3 * p, 0, 2, Cut{3 * p, p, 2}, false},
		"as many as may be":       {10000 * p, 0, 0, Cut{10000 * p, p, 10000}, false},
		"too many":                {10000*p + 1, 0, 0, Cut{}, true},
		"too many by count":       {0, 0, 10001, Cut{}, true},
		"largest parts":           {0, MaxPartSize, 3, Cut{0, MaxPartSize, 3}, false},
		"too large parts":         {0, MaxPartSize + 1, 0, Cut{}, true},
		"negative size":           {-1, 0, 0, Cut{}, true},
		"negative part size":      {1, -1, 0, Cut{}, true},
		"negative count":          {1, 0, -1, Cut{}, true},
	} {
		got, err := CutOf(c.size, c.partSize, c.count)
		if got != c.want || errors.Is(err, objstore.ErrBadPart) != c.bad {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestTheLengthsOfPartsMakeUpTheFile(t *testing.T) {
	for _, size := range []int64{1, PartSize - 1, PartSize, PartSize + 1, 7*PartSize + 3, PartSize * objstore.MaxPart, PartSize*objstore.MaxPart + 1} {
		c, err := CutOf(size, PartSizeOf(size), 0)
		if err != nil {
			t.Fatal(err)
		}
		sum, parts := int64(0), []objstore.Part{}
		for _, n := range c.Numbers() {
			sum += c.Length(n)
			parts = append(parts, objstore.Part{Number: n, Size: c.Length(n)})
		}
		if sum != size || c.Length(0) != 0 || c.Length(c.PartCount+1) != 0 {
			t.Errorf("%d bytes: the parts are %d, %d before and %d behind", size, sum, c.Length(0), c.Length(c.PartCount+1))
		}
		if err := c.Whole(parts); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
		if err := c.Whole(parts[1:]); err == nil {
			t.Errorf("%d bytes are whole without the first part", size)
		}
		parts[len(parts)-1].Size--
		if err := c.Whole(parts); err == nil {
			t.Errorf("%d bytes are whole with a byte less", size)
		}
	}
	for name, c := range map[string]Cut{"unknown size": {0, PartSize, 3}, "too few": {3 * PartSize, PartSize, 2}, "too many": {PartSize, PartSize, 2}} {
		if got := c.Length(1); got != 0 {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func TestAListOfPartsIsSortedAndChecked(t *testing.T) {
	one, two := objstore.Part{Number: 1, ETag: "a"}, objstore.Part{Number: 2, ETag: "b"}
	for name, c := range map[string]struct {
		sent, want []objstore.Part
	}{
		"in order":            {[]objstore.Part{one, two}, []objstore.Part{one, two}},
		"out of order":        {[]objstore.Part{two, one}, []objstore.Part{one, two}},
		"quoted and weak":     {[]objstore.Part{{Number: 1, ETag: `W/"a"`}, {Number: 2, ETag: `"b"`}}, []objstore.Part{one, two}},
		"twice the same":      {[]objstore.Part{one, two, one}, []objstore.Part{one, two}},
		"a gap":               {[]objstore.Part{{Number: 3, ETag: "c"}, one}, []objstore.Part{one, {Number: 3, ETag: "c"}}},
		"twice with two tags": {[]objstore.Part{one, {Number: 1, ETag: "b"}}, nil},
		"no tag":              {[]objstore.Part{{Number: 1}}, nil},
		"number 0":            {[]objstore.Part{{Number: 0, ETag: "a"}}, nil},
		"number 10001":        {[]objstore.Part{{Number: 10001, ETag: "a"}}, nil},
		"none":                {nil, nil},
	} {
		got, err := Sorted(c.sent)
		if d := cmp.Diff(got, c.want); d != "" || (err == nil) != (c.want != nil) || err != nil && !ports.Is(err, ports.Invalid) {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
}

func TestNumbersOfPartsAreChecked(t *testing.T) {
	for _, numbers := range [][]int{nil, {0}, {1, -1}, {10001}, make([]int, 10001)} {
		if err := CheckNumbers(numbers, "part_numbers"); !ports.Is(err, ports.Invalid) {
			t.Errorf("%d numbers: %v", len(numbers), err)
		}
	}
	if err := CheckNumbers([]int{1, 10000}, "x"); err != nil {
		t.Error(err)
	}
}

func TestOneRefusalTellsWhatIsTooLarge(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		size   int64
		reason string // "" where it is allowed
		limit  int64
	}{
		"no bound":             {Limits{}, 1 << 60, "", 0},
		"at the door's":        {Limits{Door: 5}, 5, "", 0},
		"over the door's":      {Limits{Door: 5}, 6, "door", 5},
		"at the rules'":        {Limits{Rules: 5}, 5, "", 0},
		"over the rules'":      {Limits{Rules: 5}, 6, "max_size", 5},
		"the rules are closer": {Limits{Door: 9, Rules: 5}, 100, "max_size", 5},
		"the door is closer":   {Limits{Door: 5, Rules: 9}, 100, "door", 5},
		"both the same":        {Limits{Door: 5, Rules: 5}, 6, "max_size", 5},
		"between both":         {Limits{Door: 5, Rules: 9}, 7, "door", 5},
	} {
		err := c.limits.Check(c.size)
		if c.reason == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var e *ports.Error
		if !errors.As(err, &e) || e.Code != ports.TooLarge || e.Key != "too_large" || e.Params["limit"] != c.limit {
			t.Fatalf("%s: %+v", name, err)
		}
		if c.reason == "max_size" && e.Reason != "max_size" || c.reason == "door" && (e.Reason != "" || e.Params["size"] != c.size) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if got, want := LimitsOf(3, policy.Obligations{MaxSize: 4}), (Limits{Door: 3, Rules: 4}); got != want {
		t.Errorf("got %+v", got)
	}
}

func TestAMeterTellsWhyABodyEnded(t *testing.T) {
	broken := errors.New("the line broke")
	storage := errors.New("the storage failed")
	for name, c := range map[string]struct {
		body   io.Reader
		size   int64
		limits Limits
		want   string // of the error; "" for none
	}{
		"whole":               {strings.NewReader("12345"), 5, Limits{Door: 5}, ""},
		"of unknown length":   {strings.NewReader("12345"), -1, Limits{}, ""},
		"too large":           {strings.NewReader("12345"), -1, Limits{Door: 4}, "too_large"},
		"too large by a rule": {strings.NewReader("12345"), 5, Limits{Rules: 4}, "max_size"},
		"too short":           {strings.NewReader("1234"), 5, Limits{}, "upload_cut"},
		"broken":              {io.MultiReader(strings.NewReader("1"), failing{broken}), 5, Limits{}, broken.Error()},
	} {
		m := NewMeter(t.Context(), c.body, c.size, c.limits, nil)
		_, err := io.Copy(io.Discard, m)
		if err != nil {
			err = storage // which says something of its own
		}
		switch why := m.Why(err); {
		case c.want == "":
			if why != nil || m.Count() != 5 || m.Why(storage) != storage {
				t.Errorf("%s: %v after %d bytes", name, why, m.Count())
			}
		case why == nil || !strings.Contains(fmt.Sprintf("%+v %v", deref(why), why), c.want):
			t.Errorf("%s: %+v", name, why)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func deref(err error) any {
	var e *ports.Error
	if errors.As(err, &e) {
		return *e
	}
	return err
}
