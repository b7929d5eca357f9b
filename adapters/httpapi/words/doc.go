// Package words is what the API says to people, in Chinese and English: the
// catalogue of messages, and how one is chosen and filled in.
package words
