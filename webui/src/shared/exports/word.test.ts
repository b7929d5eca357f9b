import { expect, it } from 'vitest';
import { wordOf } from './word';

/** Reads the names and texts of the files inside; docx's own packer is not asked. */
async function partsOf(file: Blob): Promise<Record<string, string>> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const view = new DataView(bytes.buffer);
  const parts: Record<string, string> = {};
  // The directory at the end names every file, its place and its size.
  let at = bytes.length - 22;
  while (view.getUint32(at, true) !== 0x06054b50) at--;
  let entry = view.getUint32(at + 16, true);
  for (let left = view.getUint16(at + 10, true); left > 0; left--) {
    const size = view.getUint32(entry + 20, true);
    const nameLength = view.getUint16(entry + 28, true);
    const skip = view.getUint16(entry + 30, true) + view.getUint16(entry + 32, true);
    const start = view.getUint32(entry + 42, true);
    const name = new TextDecoder().decode(bytes.subarray(entry + 46, entry + 46 + nameLength));
    const data = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    const packed = new Response(bytes.slice(data, data + size)).body;
    const method = view.getUint16(entry + 10, true);
    const stream = method === 8 ? packed?.pipeThrough(new DecompressionStream('deflate-raw')) : packed;
    parts[name] = await new Response(stream ?? null).text();
    entry += 46 + nameLength + skip;
  }
  return parts;
}

it('makes headings, lists, tables, code, links and quotes parts of a Word document', async () => {
  const content = document.createElement('article');
  content.innerHTML =
    '<h2>港口</h2><p>A <strong>bold</strong> <a href="https://example.org/">link</a></p><ol><li>one<ul><li>deep</li></ul></li></ol>' +
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td align="right">1</td></tr></tbody></table>' +
    '<pre><code>x\ny</code></pre><blockquote><p>said</p></blockquote><p><img alt="pier" src="https://example.org/p.png"></p>';
  const { file, missing } = await wordOf(content, 'Log', new AbortController().signal);
  const parts = await partsOf(file);
  const body = parts['word/document.xml'] ?? '';
  expect(missing).toBe(1);
  expect(body).toContain('w:val="Heading2"');
  expect(body).toContain('港口');
  expect(body).toMatch(/<w:b\/>.*bold/);
  expect(body).toContain('<w:tbl>');
  expect(body).toContain('w:val="right"');
  expect(body).toMatch(/Consolas.*x.*<w:br\/>.*y/s);
  expect(body).toContain('pier');
  expect(body).toMatch(/<w:numPr><w:ilvl w:val="0"\/>.*<w:ilvl w:val="1"\/>/s);
  expect(parts['word/_rels/document.xml.rels']).toContain('https://example.org/');
});
