package admindb

// Remembered is how many subjects may have a count.
func (r *Guesses) Remembered() int { return len(r.suspects.now) + len(r.suspects.old) }
