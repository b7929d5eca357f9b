package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"pasteport/domain/tasks"
	"pasteport/ports/jobs"
	"pasteport/ports/policy"
	"pasteport/ports/portstest"
)

// taskChild names the folder in which a copy of the test's program runs one
// task for ever.
const taskChild = "PASTEPORT_TEST_TASK_CHILD"

var taskOwner = policy.Principal{Kind: policy.Admin, ID: "admin", Permissions: policy.PermMountCopy, BasicPath: "/"}

// taskApp is the wired program without listeners.
func taskApp(dir string, args ...string) (*app, error) {
	var c cli
	p, err := commandLine(&c)
	if err != nil {
		return nil, err
	}
	if _, err := p.Parse(append([]string{"--data-dir", dir, "--admin-password", "a-long-password-1"}, args...)); err != nil {
		return nil, err
	}
	return newApp(context.Background(), &c.settings, slog.New(slog.NewTextHandler(io.Discard, nil)), nil)
}

// runTaskApp runs the tasks of a wired program until stop is called.
func runTaskApp(t *testing.T, a *app) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var loop sync.WaitGroup
	loop.Go(func() { a.runTasks(ctx) })
	return sync.OnceFunc(func() {
		cancel()
		loop.Wait()
	})
}

func openTaskApp(t *testing.T, dir string, args ...string) *app {
	t.Helper()
	a, err := taskApp(dir, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.close() })
	return a
}

// steps is a worker of n steps with a durable checkpoint after each; it calls
// each with the number of the step.
func steps(n int, each func(ctx context.Context, i int) error) jobs.Worker {
	return func(ctx context.Context, run jobs.Run) error {
		next := 0
		if _, err := run.State(&next); err != nil {
			return err
		}
		run.Expect(int64(n), 0)
		for i := next; i < n; i++ {
			if err := each(ctx, i); err != nil {
				return err
			}
			if err := run.Item(jobs.Item{Path: fmt.Sprint(i), Status: jobs.Completed}, nil); err != nil {
				return err
			}
			if err := run.Checkpoint(i + 1); err != nil {
				return err
			}
			if err := run.Sync(ctx); err != nil {
				return err
			}
		}
		return nil
	}
}

// runTaskChild runs a task whose fourth step never ends.
func runTaskChild(dir string) {
	a, err := taskApp(dir)
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	a.tasks.Register("steps", tasks.Kind{Run: steps(6, func(ctx context.Context, i int) error {
		fmt.Println("step", i)
		if i == 3 {
			select {}
		}
		return nil
	})})
	id, err := a.tasks.Start(context.Background(), jobs.Start{Kind: "steps", Title: "/a", Owner: taskOwner})
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	fmt.Println("task", id)
	a.runTasks(context.Background())
}

func waitForTask(t *testing.T, a *app, id string, want tasks.Status) *tasks.Task {
	t.Helper()
	var task *tasks.Task
	portstest.Eventually(t, func() (ended bool) {
		var err error
		if task, err = a.store.Tasks().Get(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if task.Status.Finished() && task.Status != want {
			t.Fatalf("task is %s with %+v, want %s", task.Status, task.Failure, want)
		}
		return task.Status == want
	}, "the task is ", want)
	return task
}

func TestReliability2_1_ATaskGoesOnAfterKillMinus9(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), taskChild+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	hung := time.AfterFunc(patience, func() { _ = child.Process.Kill() })
	defer hung.Stop()
	id, lines := "", bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "step 3" {
		if name, ok := strings.CutPrefix(lines.Text(), "task "); ok {
			id = name
		}
		if strings.HasPrefix(lines.Text(), "failed") {
			t.Error(lines.Text())
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()

	a := openTaskApp(t, dir)
	if task := waitForTask(t, a, id, tasks.Running); task.Done.Completed > 3 {
		t.Errorf("the dead run had done %+v", task.Done)
	}
	if n, err := a.tasks.Recover(t.Context()); n != 1 || err != nil {
		t.Fatalf("recovered %d, %v", n, err)
	}
	waitForTask(t, a, id, tasks.Interrupted)
	var seen []int
	a.tasks.Register("steps", tasks.Kind{Run: steps(6, func(_ context.Context, i int) error {
		seen = append(seen, i)
		return nil
	})})
	stop := runTaskApp(t, a)
	task := waitForTask(t, a, id, tasks.Completed)
	stop()
	if fmt.Sprint(seen) != "[3 4 5]" || task.Done.Completed != 6 || task.Run != 2 {
		t.Errorf("it went on with %v, done %+v in run %d", seen, task.Done, task.Run)
	}
}

func TestReliability2_7_TwoNodesRunEachTaskOnceAndTakeOverFromEachOther(t *testing.T) {
	dir, url := t.TempDir(), portstest.Postgres(t)
	var mu sync.Mutex
	ran := map[string]int{}
	reached := make(chan struct{})
	first := true
	kinds := func(a *app) {
		a.tasks.Register("count", tasks.Kind{Run: func(_ context.Context, run jobs.Run) error {
			mu.Lock()
			defer mu.Unlock()
			ran[run.TaskID()]++
			return nil
		}})
		a.tasks.Register("steps", tasks.Kind{Run: steps(4, func(ctx context.Context, i int) error {
			mu.Lock()
			stay := first && i == 2
			first = first && !stay
			mu.Unlock()
			if stay {
				close(reached)
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		})})
	}
	one := openTaskApp(t, dir, "--database-url", url)
	two := openTaskApp(t, dir, "--database-url", url)
	kinds(one)
	kinds(two)
	long, err := one.tasks.Start(t.Context(), jobs.Start{Kind: "steps", Owner: taskOwner})
	if err != nil {
		t.Fatal(err)
	}
	stopOne := runTaskApp(t, one)
	defer stopOne()
	<-reached
	stopTwo := runTaskApp(t, two)
	defer stopTwo()
	var ids []string
	for i := range 20 {
		id, err := []*app{one, two}[i%2].tasks.Start(t.Context(), jobs.Start{Kind: "count", Owner: taskOwner})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	for _, id := range ids {
		waitForTask(t, one, id, tasks.Completed)
	}
	mu.Lock()
	for _, id := range ids {
		if ran[id] != 1 {
			t.Errorf("task %s ran %d times", id, ran[id])
		}
	}
	mu.Unlock()
	stopOne() // hands the long one back
	if task := waitForTask(t, two, long, tasks.Completed); task.Run != 2 || task.Done.Completed != 4 {
		t.Errorf("the other node did it in run %d, %+v", task.Run, task.Done)
	}
}
