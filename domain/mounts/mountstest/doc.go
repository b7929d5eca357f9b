// Package mountstest has two trees for the tests of the tree and its wings: a Fixture
// to look at, and a WriteFixture to change things in. It holds no tests.
package mountstest
