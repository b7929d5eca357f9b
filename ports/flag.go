package ports

// ParseFlag reads a truth value as requests, forms and stored settings write
// it: "true" or "1", "false" or "0", and nothing else (contract §1.5). ok is
// false for every other text; nobody may take that for a "no".
func ParseFlag(text string) (on, ok bool) {
	switch text {
	case "true", "1":
		return true, true
	case "false", "0":
		return false, true
	}
	return false, false
}
