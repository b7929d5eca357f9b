// Package requests holds the links through which people without an account send
// files: into a folder of the tree, or as file shares of whoever made the link.
// It knows what such a link allows and who has sent what. How bytes are stored it
// does not know: that is an upload.Inbox. A sender sees nothing but the form and
// what this sender has sent.
package requests
