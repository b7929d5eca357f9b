package objstoretest_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pasteport/ports/objstore"
	"pasteport/ports/objstore/conformance"
	"pasteport/ports/objstore/objstoretest"
	"pasteport/ports/portstest"
)

// implied is a bucket that lists each folder of a file as a marker, too.
type implied struct{ unsigned }

// unsigned is a bucket in memory that signs nothing.
type unsigned struct{ *portstest.Bucket }

func (unsigned) Sign(context.Context, objstore.SignRequest) (objstore.SignedRequest, error) {
	return objstore.SignedRequest{}, objstore.ErrUnsupported
}

// features are those of unsigned.
func features() objstore.Features {
	f := portstest.MemoryFeatures
	f.HTTPLinks, f.BrowserUpload = false, false
	return f
}

func (b implied) List(ctx context.Context, q objstore.ListQuery) (objstore.ListPage, error) {
	pager, err := objstore.NewPager(q)
	if err != nil || ctx.Err() != nil {
		return objstore.ListPage{}, errors.Join(err, ctx.Err())
	}
	keys := b.Keys()
	for _, key := range slices.Clone(keys) {
		for i, c := range key[:len(key)-1] {
			if c == '/' {
				keys = append(keys, key[:i+1])
			}
		}
	}
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		describe := func() (objstore.Object, bool) {
			o, err := b.Stat(ctx, key)
			if err != nil {
				o = objstore.Object{Key: key}
			}
			return o, true
		}
		if strings.HasPrefix(key, q.Prefix) && !pager.Add(key, describe) {
			break
		}
	}
	return pager.Page(), nil
}

func TestABucketThatShowsImpliedFoldersPasses(t *testing.T) {
	objstoretest.Run(t, func(*testing.T) objstore.Bucket { return implied{unsigned{portstest.NewBucket()}} }, objstoretest.Want{
		Features: features(), Types: true, Markers: true,
	})
}

func TestAPartOfABucketPasses(t *testing.T) {
	whole := portstest.NewBucket()
	if _, err := whole.Write(t.Context(), "other", strings.NewReader("x"), objstore.WriteOptions{Size: 1}); err != nil {
		t.Fatal(err)
	}
	objstoretest.Run(t, func(t *testing.T) objstore.Bucket {
		b := conformance.Below(unsigned{whole}, "below it/")
		t.Cleanup(func() {
			if err := conformance.Empty(context.Background(), b); err != nil {
				t.Error(err)
			}
		})
		return b
	}, objstoretest.Want{Features: features(), Types: true, MaxKey: objstore.MaxKey - len("below it/")})
	if keys := whole.Keys(); len(keys) != 1 {
		t.Errorf("left: %q", keys)
	}
}

// forgetful loses the last byte of what it stores, and panics at a copy.
type forgetful struct{ *portstest.Bucket }

func (b forgetful) Write(ctx context.Context, key string, body io.Reader, o objstore.WriteOptions) (objstore.Object, error) {
	if o.Size < 0 {
		return b.Bucket.Write(ctx, key, body, o)
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return objstore.Object{}, err
	}
	data = data[:max(len(data)-1, 0)]
	return b.Bucket.Write(ctx, key, strings.NewReader(string(data)), objstore.WriteOptions{Size: int64(len(data)), ContentType: o.ContentType})
}

func (forgetful) Copy(context.Context, string, string) (objstore.Object, error) { panic("no copies") }

func TestAReportNamesEachBrokenPromise(t *testing.T) {
	ended := 0
	s := conformance.Suite{Want: conformance.Want{Features: objstore.Features{ServerCopy: true}}, Open: func(t conformance.T) objstore.Bucket {
		t.Cleanup(func() { ended++ })
		return forgetful{portstest.NewBucket()}
	}}
	results := map[string]conformance.Result{}
	failed := s.Report(t.Context(), func(r conformance.Result) {
		results[r.Name] = r
	})
	if len(results) != len(s.Cases()) || failed == 0 || failed == len(results) || ended == 0 {
		t.Errorf("%d of %d failed, %d buckets ended", failed, len(results), ended)
	}
	for name, sign := range map[string]string{"keys of every alphabet come back": "Write(", "copying": "panic: no copies", "a body of another length is refused": "succeeded"} {
		if got := strings.Join(results[name].Failures, " "); !strings.Contains(got, sign) {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := results["an empty object is an object"].Failures; len(got) != 0 {
		t.Errorf("an empty object: %q", got)
	}
}
