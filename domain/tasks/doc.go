// Package tasks keeps the work that outlasts requests: what was asked for, how
// far it has come, and what became of each file. The rows here are the truth
// about a task; the queue only says that some task waits to be run, and may
// say so twice. What a task does is known to the worker of its kind alone.
package tasks
