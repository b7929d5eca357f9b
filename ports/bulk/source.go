package bulk

import "io"

// Source is a body that can leave its bytes in a pipe, where the kernel moves them
// on, so that they never come into the memory of this process.
type Source interface {
	io.Reader
	// ReadInto is Read into buffer, except that what is read may stand in the pipe
	// in place of the buffer: Held tells how much does, all of n or nothing. The pipe
	// is empty before.
	ReadInto(p *Pipe, buffer []byte) (n int, err error)
}

// ReadInto reads from r by the pipe if r has a way to, else into the buffer.
func ReadInto(r io.Reader, p *Pipe, buffer []byte) (n int, err error) {
	if s, ok := r.(Source); ok && p != nil {
		return s.ReadInto(p, buffer)
	}
	return r.Read(buffer)
}

// Copy is io.Copy to a writer that may take the bytes from a pipe, whatever other
// ways the source itself has.
func Copy(w io.Writer, s Source) (int64, error) { return io.Copy(w, struct{ Source }{s}) }
