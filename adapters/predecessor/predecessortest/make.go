// Package predecessortest makes databases of the predecessor for tests, from
// SQL that people can read.
package predecessortest

import (
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the format of the file
)

//go:embed *.sql
var scripts embed.FS

// Secret is the encryption secret of the databases. Proxy links were signed
// with it, and credentials bear its proof.
const Secret = "contract-secret"

// Storage is where the storage configs of a database lead.
type Storage struct{ Endpoint, Bucket, Region, Access, Secret string }

// Away is a storage that does not exist.
var Away = Storage{"http://127.0.0.1:9", "old-bucket", "us-east-1", "AKOLD", "old secret / key"}

// Make makes a database of a version ("v3", "v17" or "v21") in a folder of the
// test and returns the file's path.
func Make(t testing.TB, version string, s Storage) string {
	t.Helper()
	text, err := scripts.ReadFile(version + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cloud.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(expand(string(text), s)); err != nil {
		t.Fatalf("%s.sql: %v", version, err)
	}
	return path
}

var word = regexp.MustCompile(`@(sha256|sealed|long)\(([^()]*)\)`)

// expand puts the values into the script: those of the storage, hashes, sealed
// credentials and long texts.
func expand(script string, s Storage) string {
	script = strings.NewReplacer("@endpoint", s.Endpoint, "@bucket", s.Bucket, "@region", s.Region, "@access", s.Access, "@secret", s.Secret).Replace(script)
	return word.ReplaceAllStringFunc(script, func(found string) string {
		parts := word.FindStringSubmatch(found)
		switch parts[1] {
		case "sha256":
			sum := sha256.Sum256([]byte(parts[2]))
			return hex.EncodeToString(sum[:])
		case "sealed":
			return Seal(parts[2], Secret)
		}
		n, _ := strconv.Atoi(parts[2])
		return strings.Repeat("x", n)
	})
}

// Seal stores a credential as the predecessor did.
func Seal(value, secret string) string {
	b64 := base64.StdEncoding
	return "encrypted:" + b64.EncodeToString(sign(value, secret)) + ":" + b64.EncodeToString([]byte(value))
}

// Sign is the signature of a proxy link as the predecessor made it (contract
// §12.3); end is in Unix seconds, 0 for never.
func Sign(path string, end int64) string {
	expires := strconv.FormatInt(end, 10)
	return base64.StdEncoding.EncodeToString(sign(path+":"+expires, Secret)) + ":" + expires
}

func sign(data, secret string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(data))
	return h.Sum(nil)
}
