import { describe, expect, it } from 'vitest';
import { fileNameOf } from './download';
import { firstView, longestRendered, looksLikeMarkdown } from './syntax';

describe('looksLikeMarkdown', () => {
  it.each([
    ['a heading', '# Title\ntext'],
    ['a Chinese heading', '## 标题'],
    ['a fence', '```go\nx\n```'],
    ['a table', 'a | b\n---|---\n1 | 2'],
    ['a link', 'see [this](https://a.example)'],
    ['a list with bold text', '- one **two** three'],
    ['quoted code', '> `x`'],
  ])('sees %s', (_, text) => {
    expect(looksLikeMarkdown(text)).toBe(true);
  });

  it.each([
    ['prose', 'Hello. This is a text.'],
    ['a shell comment', '#!/bin/sh\n#comment\necho 1'],
    ['a list alone', '- one\n- two'],
    ['code', 'const a = b[0](1);\nfor (;;) {}'],
    ['an e-mail', 'Hi,\n\n> quoted line\n\nbye'],
    ['nothing', ''],
  ])('does not see %s', (_, text) => {
    expect(looksLikeMarkdown(text)).toBe(false);
  });
});

describe('firstView', () => {
  it.each([
    ['markdown', 'plain words', 'preview'],
    ['text', '# Title', 'text'],
    ['go', '# Title', 'code'],
    [null, '# Title', 'preview'],
    [undefined, 'plain words', 'text'],
    ['markdown', 'x'.repeat(longestRendered + 1), 'text'],
  ] as const)('of syntax %s', (syntax, text, want) => {
    expect(firstView(syntax, text)).toBe(want);
  });
});

describe('fileNameOf', () => {
  it.each([
    ['notes', 'markdown', 'preview', 'notes.md'],
    ['notes.md', 'markdown', 'preview', 'notes.md'],
    ['notes', 'text', 'text', 'notes.txt'],
    ['周报: 1/2', null, 'preview', '周报_ 1_2.md'],
    ['../../etc', 'text', 'text', '_.._etc.txt'],
    ['\u202etxt.exe', 'text', 'text', '_txt.exe.txt'],
    ['', null, 'text', 'paste.txt'],
  ] as const)('of %j is safe', (name, syntax, view, want) => {
    expect(fileNameOf(name, syntax, view)).toBe(want);
  });
});
