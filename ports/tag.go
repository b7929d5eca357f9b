package ports

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// TagOf returns the entity tag of what values say: quoted, and the same for the
// same values only. Values must have a JSON form.
func TagOf(values ...any) string {
	data, err := json.Marshal(values)
	if err != nil { // a value without a JSON form
		panic(err)
	}
	sum := sha256.Sum256(data)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// Unchanged returns Precondition when a caller has said which entity tag a
// record must still have and it has another. It is asked in the transaction that
// changes the record. Empty means any.
func Unchanged(ifMatch, tag string) error {
	if ifMatch != "" && ifMatch != tag {
		return &Error{Code: Precondition, Key: "precondition_failed"}
	}
	return nil
}

// Change is a record as it was before a change and as it is after it.
type Change[T any] struct{ Before, After T }
