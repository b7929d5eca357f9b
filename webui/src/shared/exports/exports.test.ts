import { afterEach, describe, expect, it, vi } from 'vitest';
import * as saving from '../saveBlob';
import { copyHtml, copyPlain, fileName, saveHtml, type Exported } from './exports';
import { plainText } from './plain';

const harbour: Exported = {
  text: '# Log\n\nA **quiet** day.\n\n1. one\n2. two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```\nx  y\n```\n',
  markdown: true,
  title: '',
};

afterEach(() => vi.unstubAllGlobals());

/** Takes what is copied. */
function clipboard() {
  const written: string[] = [];
  const items: Record<string, Blob>[] = [];
  vi.stubGlobal('navigator', {
    clipboard: {
      writeText: async (text: string) => void written.push(text),
      write: async (list: { blobs: Record<string, Blob> }[]) => void items.push(...list.map((x) => x.blobs)),
    },
  });
  vi.stubGlobal(
    'ClipboardItem',
    class {
      constructor(public blobs: Record<string, Blob>) {}
    },
  );
  return { written, items };
}

describe('copying', () => {
  it('as plain text leaves the marks out', async () => {
    const { written } = clipboard();
    expect(await copyPlain(harbour)).toBe(true);
    expect(written).toEqual(['Log\n\nA quiet day.\n\n1. one\n2. two\n\na\tb\n1\t2\n\nx  y']);
  });

  it('as HTML brings both flavours and no scripts', async () => {
    const { items } = clipboard();
    expect(await copyHtml({ ...harbour, text: '**bold**\n\n<script>x</script>' })).toBe(true);
    expect(await items[0]?.['text/html']?.text()).toContain('<strong>bold</strong>');
    expect(await items[0]?.['text/html']?.text()).not.toContain('script');
    expect(await items[0]?.['text/plain']?.text()).toBe('bold');
  });
});

describe('saving', () => {
  it('makes one HTML file and says how many pictures are missing', async () => {
    const save = vi.spyOn(saving, 'saveBlob').mockImplementation(() => undefined);
    vi.stubGlobal('fetch', async () => {
      throw new TypeError('refused');
    });
    const left = await saveHtml({
      ...harbour,
      title: 'A <b> note',
      text: '# Hi\n\n![pier](https://example.org/p.png)\n',
    });
    expect(left).toBe(1);
    const [blob, name] = save.mock.calls[0] ?? [];
    const html = (await blob?.text()) ?? '';
    expect(name).toMatch(/^A_b_note-\d{8}-\d{4}\.html$/);
    expect(html).toContain('<title>A &lt;b&gt; note</title>');
    expect(html).toContain("default-src 'none'");
    expect(html).toMatch(/<a [^>]*href="https:\/\/example\.org\/p\.png"[^>]*>pier<\/a>/);
  });

  it.each([
    [{ ...harbour, title: ' My notes ' }, 'My_notes-20260110-0905'],
    [harbour, 'Log-20260110-0905'],
    [{ ...harbour, markdown: false }, 'paste-20260110-0905'],
    [{ ...harbour, title: '../etc' }, 'etc-20260110-0905'],
  ])('names the file', (source, name) => {
    expect(fileName(source, undefined, new Date(2026, 0, 10, 9, 5))).toBe(name);
  });
});

it.each([
  ['<p>a<br>b</p>', 'a\nb'],
  ['<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>', '- a\n  - b\n- c'],
  ['<p><img alt="pier"></p>', 'pier'],
])('%s reads as %j', (html, text) => {
  const root = document.createElement('div');
  root.innerHTML = html;
  expect(plainText(root)).toBe(text);
});
