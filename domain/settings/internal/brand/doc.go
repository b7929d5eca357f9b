// Package brand reads what an operator dresses the pages in: a logo, which is
// made safe to be sent to strangers, and a colour, of which it makes shades that
// can be read in both themes. It knows nothing of settings or pages.
package brand
