// Package thumbnail draws small pictures of JPEG, PNG and GIF files, within
// bounds of pixels, memory and time. It reads no other formats and keeps nothing.
package thumbnail
