package routes

import (
	"strings"
	"testing"
)

func TestEveryChangeOfTheAdministratorIsAudited(t *testing.T) {
	found := 0
	for _, rt := range registered().Routes() {
		op, noted := rt.Op, rt.Audited
		if noted {
			found++
		}
		if (strings.HasSuffix(op.Name, ".delete") && op.Name != "task.delete" && op.Method == "DELETE" || op.Name == "fs.remove") && !noted {
			t.Errorf("%s is not noted", op.Name)
		}
	}
	if found < 25 {
		t.Errorf("only %d operations are noted", found)
	}
}
