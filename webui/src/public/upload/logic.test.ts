import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/client';
import { UploadError } from '../../shared/uploader/errors';
import { formatLinks } from './links';
import { fromDrop, fromPaste, isTyping, pastedName } from '../../shared/uploader/sources';
import { typeOf } from '../../shared/uploader/transfers';
import { storageFull, uploadErrorText } from '../../shared/uploader/uploadErrorText';

const now = new Date(2026, 10, 5, 9, 3, 7);

describe('formatLinks', () => {
  const links = [{ name: 'a [1] <b>.txt', url: 'https://h.example/file/x?a=1&b=2' }];

  it.each([
    ['plain', 'https://h.example/file/x?a=1&b=2'],
    ['markdown', '[a \\[1\\] \\<b\\>.txt](https://h.example/file/x?a=1&b=2)'],
    ['html', '<a href="https://h.example/file/x?a=1&amp;b=2">a [1] &lt;b&gt;.txt</a>'],
    ['bbcode', '[url=https://h.example/file/x?a=1&b=2]a 1 <b>.txt[/url]'],
  ] as const)('writes %s', (format, want) => {
    expect(formatLinks(links, format)).toBe(want);
  });

  it('puts each on a line of its own', () => {
    expect(formatLinks([...links, ...links], 'plain').split('\n')).toHaveLength(2);
  });
});

describe('sources', () => {
  // Browsers let no script make one of these.
  const data = (part: { items?: object[]; files?: File[]; types?: string[] }): DataTransfer =>
    Object.assign(Object.create(null), { items: [], files: [], types: [] }, part);

  it('name screenshots by the time', () => {
    expect(pastedName(now)).toBe('pasted-20261105-090307.png');
    const files = [new File(['x'], 'image.png', { type: 'image/png' }), new File(['y'], 'plan.png')];
    const got = fromPaste(data({ files }), now);
    expect(got.map(({ file }) => file.name)).toEqual(['pasted-20261105-090307.png', 'plan.png']);
  });

  it('leave text to the field that has the focus', () => {
    const field = document.createElement('input');
    expect(isTyping(field, data({ types: ['text/plain', 'Files'] }))).toBe(true);
    expect(isTyping(field, data({ types: ['Files'] }))).toBe(false);
    expect(isTyping(document.body, data({ types: ['text/plain', 'Files'] }))).toBe(false);
  });

  it('keep the paths of dropped folders', async () => {
    const file = (name: string) => ({
      isFile: true,
      isDirectory: false,
      name,
      file: (done: (file: File) => void) => done(new File(['x'], name)),
    });
    const folder = (name: string, ...pieces: unknown[][]) => ({
      isFile: false,
      isDirectory: true,
      name,
      createReader: () => ({ readEntries: (done: (piece: unknown[]) => void) => done(pieces.shift() ?? []) }),
    });
    const tree = folder('team', [file('a'), folder('sub', [file('b')])], [file('c')]);
    const items = [{ webkitGetAsEntry: () => tree }, { webkitGetAsEntry: () => file('d') }];
    const got = await fromDrop(data({ items }));
    expect(got.map(({ file, folder }) => `${folder}:${file.name}`)).toEqual([
      'team:a',
      'team/sub:b',
      'team:c',
      ':d',
    ]);
  });
});

describe('typeOf', () => {
  it.each([
    ['a.md', '', 'text/markdown'],
    ['a.RMD', 'text/plain', 'text/markdown'],
    ['a.png', 'image/png', 'image/png'],
    ['a.bin', '', 'application/octet-stream'],
  ])('%s', (name, type, want) => {
    expect(typeOf(name, type)).toBe(want);
  });
});

describe('uploadErrorText', () => {
  const t = (key: string, values?: unknown) => `${key} ${JSON.stringify(values ?? '')}`;

  it('takes the sizes out of a full storage, in both languages', () => {
    const want = { file: '5.00 MB', left: '1.00 MB', capacity: '10.00 GB' };
    expect(
      storageFull('存储空间不足。文件大小(5.00 MB)超过剩余空间(1.00 MB)。总容量限制为10.00 GB。'),
    ).toEqual(want);
    expect(
      storageFull(
        '存储空间不足: file size(5.00 MB) exceeds remaining space(1.00 MB), capacity limit is 10.00 GB.',
      ),
    ).toEqual(want);
    expect(storageFull('anything else')).toBeUndefined();
  });

  it.each([
    [new UploadError('aborted'), 'file.errors.cancelled'],
    [new UploadError('http', 507), 'file.errors.http {"status":507}'],
    [new UploadError('noETag'), 'file.errors.noETag'],
    [
      new UploadError('parts', 507, undefined, new ApiError('used 9 of 10 files', { status: 507 })),
      'used 9 of 10 files',
    ],
    [new ApiError('x', { status: 403, code: 'storage_forbidden' }), 'file.errors.storageForbidden'],
    [new ApiError('own words', { status: 400 }), 'own words'],
  ])('words %s', (error, want) => {
    expect(uploadErrorText(error, t)).toContain(want);
  });
});
