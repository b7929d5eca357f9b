import { describe, expect, it } from 'vitest';
import type { FileType } from '../../api/types';
import { extensionOf, opensInBrowser, previewKind } from './kind';

describe('extensionOf', () => {
  it.each([
    ['a.txt', 'txt'],
    ['A.TAR.GZ', 'gz'],
    ['照片.JPG', 'jpg'],
    ['Makefile', 'makefile'],
    ['.env', 'env'],
    ['.bashrc', ''],
    ['noext', ''],
    ['dot.', ''],
    ['', ''],
  ])('of %s is %s', (name, want) => {
    expect(extensionOf(name)).toBe(want);
  });
});

describe('previewKind', () => {
  it.each<[string, string, FileType, string]>([
    ['a.png', 'image/png', 5, 'image'],
    ['a.mp4', 'video/mp4', 2, 'video'],
    ['a.mp3', 'audio/mpeg', 3, 'audio'],
    ['a.docx', '', 6, 'office'],
    ['a.pdf', 'application/pdf', 7, 'pdf'],
    ['a.md', 'text/markdown', 4, 'markdown'],
    ['a.html', 'text/html', 4, 'html'],
    ['a.go', 'text/plain', 4, 'code'],
    ['a.txt', 'text/plain', 4, 'text'],
    ['a.unknown', 'text/plain', 4, 'text'],
    ['a.ts', 'video/mp2t', 2, 'video'],
    ['a.png', 'image/png', 0, 'image'],
    ['a.md', 'text/markdown', 0, 'markdown'],
    ['a.zip', 'application/zip', 0, 'other'],
    ['a.zip', 'application/zip', 7, 'other'],
    ['a', 'text/plain', 0, 'text'],
    ['a', 'application/octet-stream', 0, 'other'],
  ])('shows %s (%s, type %i) as %s', (filename, mimetype, type, want) => {
    expect(previewKind({ filename, mimetype, type })).toBe(want);
  });
});

describe('opensInBrowser', () => {
  it.each<[string, FileType, boolean]>([
    ['a.png', 5, true],
    ['a.pdf', 7, true],
    ['a.txt', 4, true],
    ['a.svg', 5, false],
    ['a.html', 4, false],
    ['a.docx', 6, false],
    ['a.zip', 0, false],
  ])('%s (type %i): %s', (filename, type, want) => {
    expect(opensInBrowser({ filename, mimetype: '', type })).toBe(want);
  });
});
