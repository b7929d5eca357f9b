package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// A stop counts at every moment of a restart: while the process waits for what is
// under way, and after that until the new one is there.
func TestAStopCountsUntilTheNewProcessIsThere(t *testing.T) {
	for _, when := range []string{"never", "at once", "stopped"} {
		t.Run(when, func(t *testing.T) {
			c := exec.Command(os.Args[0], "-test.run=^TestRestartsInAChild$", "-test.v")
			c.Env = append(os.Environ(), "PROCESS_TEST_CHILD="+t.TempDir()+"/seen", "PROCESS_TEST_STOP="+when)
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			said := ""
			for lines := bufio.NewScanner(out); lines.Scan(); said += lines.Text() + "\n" {
				if lines.Text() != "stopped" {
					continue
				}
				if when == "stopped" {
					if err := c.Process.Signal(syscall.SIGTERM); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := io.WriteString(in, "go on\n"); err != nil {
					t.Fatal(err)
				}
			}
			_ = c.Wait()
			if again := strings.Contains(said, "the new process"); again != (when == "never") {
				t.Errorf("starts again: %t\n%s", again, said)
			}
		})
	}
}

// TestRestartsInAChild is such a process.
func TestRestartsInAChild(t *testing.T) {
	seen := os.Getenv("PROCESS_TEST_CHILD")
	if seen == "" {
		return
	}
	if _, err := os.Stat(seen); err == nil {
		fmt.Println("the new process")
		os.Exit(0)
	}
	if err := os.WriteFile(seen, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := Stops()
	if err := Restart(); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("PROCESS_TEST_STOP") == "at once" {
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if err := self.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	<-ctx.Done()
	fmt.Println("stopped")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := Renew(); err != nil {
		t.Fatal(err)
	}
	os.Exit(0)
}
