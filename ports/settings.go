package ports

import "time"

// Settings are the operator's choices that other modules obey (spec §3). The
// implementation answers from memory and never blocks.
type Settings interface {
	MaxUploadSize() int64 // bytes
	// DefaultUseProxy says whether new file shares go through this server.
	DefaultUseProxy() bool
	// RandomSuffix says whether stored names get a random suffix instead of
	// overwriting.
	RandomSuffix() bool
	// PreviewTypes returns the extension list (lower case, no dot) of one kind:
	// "text", "audio", "video", "image", "office" or "document".
	PreviewTypes(kind string) []string
	// ExpiredGrace is how long an expired share stays recoverable for its owner.
	ExpiredGrace() time.Duration
	// ShareLimits are what every new or changed share must keep.
	ShareLimits() ShareLimits
	// Revisions says which earlier contents of texts and files are kept.
	Revisions() Revisions
}

// AddressPart is how much of the address of a visitor is kept.
type AddressPart string

// The parts of addresses.
const (
	NoAddress    AddressPart = "none"
	NetworkPart  AddressPart = "network" // names no household
	WholeAddress AddressPart = "whole"
)

// ShareLog bounds what is kept of those who open shares.
type ShareLog struct {
	Age     time.Duration // for so long; 0 keeps nothing
	Address AddressPart
}

// Revisions bound which earlier contents of a text or a file are kept.
type Revisions struct {
	Kept int           // the newest so many; 0 keeps none
	Age  time.Duration // for so long; 0 means as long as the text
}

// ShareLimits bound what shares may be. The zero value allows everything.
type ShareLimits struct {
	MaxAge   time.Duration // longest life of a share; 0 means any, also none
	MaxViews int64         // most views a share may have; 0 means any, also unlimited
	Password bool          // every share needs a password
}
