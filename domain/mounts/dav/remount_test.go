package dav_test

import (
	"slices"
	"testing"

	"pasteport/domain/mounts"
	"pasteport/domain/mounts/dav"
	"pasteport/domain/mounts/mountstest"
	"pasteport/ports"
)

// What is known by paths belongs to the files of a mount, not to those of the next
// one that is shown there.
func TestPropertiesAndLocksFollowTheirMount(t *testing.T) {
	admin := mountstest.AdminByDAV
	for _, c := range []struct {
		name   string
		change func(t *testing.T, w *mountstest.Fixture, m *mounts.Mount)
		want   []string // where properties are
		locks  []string
	}{
		{"another mount takes the path", func(t *testing.T, w *mountstest.Fixture, m *mounts.Mount) {
			if _, err := w.Admin.Delete(t.Context(), admin.Who, m.ID); err != nil {
				t.Fatal(err)
			}
			w.Mount("/m", mountstest.Private)
		}, []string{"/m/in/f"}, []string{"/m/in/f"}},
		{"it moves", func(t *testing.T, w *mountstest.Fixture, m *mounts.Mount) {
			if _, err := w.Admin.Update(t.Context(), admin.Who, m.ID, mounts.Draft{Path: mountstest.Ptr("/n")}); err != nil {
				t.Fatal(err)
			}
			w.Mount("/m", mountstest.Private)
		}, []string{"/m/in/f", "/n", "/n/f"}, []string{"/m/in/f"}},
		{"it shows another storage", func(t *testing.T, w *mountstest.Fixture, m *mounts.Mount) {
			if _, err := w.Admin.Update(t.Context(), admin.Who, m.ID, mounts.Draft{StorageConfigID: mountstest.Ptr("shut")}); err != nil {
				t.Fatal(err)
			}
		}, []string{"/m/in/f"}, []string{"/m/in/f"}},
		{"it gets another name", func(t *testing.T, w *mountstest.Fixture, m *mounts.Mount) {
			if _, err := w.Admin.Update(t.Context(), admin.Who, m.ID, mounts.Draft{Name: mountstest.Ptr("new")}); err != nil {
				t.Fatal(err)
			}
		}, []string{"/m", "/m/f", "/m/in/f"}, []string{"/m/f", "/m/in/f"}},
		{"a mount comes inside it", func(t *testing.T, w *mountstest.Fixture, _ *mounts.Mount) { w.Mount("/m/f", mountstest.Private) },
			[]string{"/m", "/m/in/f"}, []string{"/m/in/f"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := mountstest.NewFixture(t)
			m := w.Mount("/m")
			w.Mount("/m/in")
			w.Put("f", "in/f")
			for _, path := range []string{"/m", "/m/f", "/m/in/f"} {
				if err := w.Patch(t.Context(), admin, path, []dav.Property{{Space: "u", Name: "p", XML: "<p/>"}}, nil); err != nil {
					t.Fatal(err)
				}
			}
			for _, path := range []string{"/m/f", "/m/in/f"} {
				if _, _, err := w.Lock(t.Context(), admin, path, dav.NewLock{Shared: true}); err != nil {
					t.Fatal(err)
				}
			}
			c.change(t, w, m)
			var got []string
			for _, path := range []string{"/m", "/m/f", "/m/in/f", "/n", "/n/f", "/n/in/f"} {
				of, err := w.Memory.Properties().Of(t.Context(), path)
				if err != nil {
					t.Fatal(err)
				}
				if len(of) > 0 {
					got = append(got, path)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("properties at %q, want %q", got, c.want)
			}
			locks, err := w.Memory.Locks().Around(t.Context(), w.Clock.Now(), dav.Reach{Path: "/", Deep: true})
			if err != nil {
				t.Fatal(err)
			}
			var locked []string
			for _, l := range locks {
				locked = append(locked, l.Path)
			}
			if !slices.Equal(locked, c.locks) {
				t.Errorf("locks on %q, want %q", locked, c.locks)
			}
		})
	}
}

func TestAMountThatIsRefusedForgetsNothing(t *testing.T) {
	w := mountstest.NewFixture(t)
	w.Mount("/m")
	w.Put("f")
	if err := w.Patch(t.Context(), mountstest.AdminByDAV, "/m/f", []dav.Property{{Space: "u", Name: "p", XML: "<p/>"}}, nil); err != nil {
		t.Fatal(err)
	}
	_, err := w.Admin.Create(t.Context(), mountstest.Admin.Who, mounts.Draft{Name: mountstest.Ptr("again"), StorageType: mountstest.Ptr("S3"),
		StorageConfigID: mountstest.Ptr("open"), Path: mountstest.Ptr("/m")})
	if !ports.Is(err, ports.Conflict) {
		t.Fatalf("error = %v", err)
	}
	if of, err := w.Memory.Properties().Of(t.Context(), "/m/f"); err != nil || len(of) != 1 {
		t.Errorf("properties: %v, %v", of, err)
	}
}
