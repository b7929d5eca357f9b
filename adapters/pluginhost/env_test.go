package pluginhost_test

import (
	"log/slog"
	"strings"
	"testing"

	"pasteport/adapters/pluginhost"
)

func TestADriverInheritsTheVariablesThatItsCommandNames(t *testing.T) {
	t.Setenv("NAMED_FOR_IT", "yes")
	t.Setenv("NOT_NAMED", "yes")
	command := pluginhost.Self("trouble")
	command.Env = []string{"NAMED_FOR_IT", "NOT_SET"}
	h := pluginhost.New(pluginhost.Options{Processes: map[string]pluginhost.Command{"trouble": command}, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { h.Close() })
	env, err := open(t, h, "trouble", nil).Stat(t.Context(), "env")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(env.ETag, "NAMED_FOR_IT=yes") || strings.Contains(env.ETag, "NOT_") {
		t.Errorf("the driver sees %q", env.ETag)
	}
}
