import { describe, expect, it } from 'vitest';
import { data, fakeApi } from '../../../testing/fakeApi';
import { familyOf, isOutside, officeRules, ownKind, viewerUrl } from './rules';

describe('isOutside', () => {
  it.each([
    ['https://files.example.org/a', true],
    ['http://8.8.8.8:8080/a', true],
    ['https://[2606:4700::1]/a', true],
    ['http://localhost:8787/a', false],
    ['http://box/a', false],
    ['http://nas.local/a', false],
    ['http://nas.lan./a', false],
    ['http://127.0.0.1/a', false],
    ['http://10.1.2.3/a', false],
    ['http://172.20.0.1/a', false],
    ['http://172.32.0.1/a', true],
    ['http://192.168.1.9/a', false],
    ['http://100.64.0.1/a', false],
    ['http://169.254.1.1/a', false],
    ['http://[::1]/a', false],
    ['http://[fd00::1]/a', false],
    ['http://[fe80::1]/a', false],
    ['blob:https://example.org/a', false],
  ])('judges %s', (address, want) => {
    expect(isOutside(address)).toBe(want);
  });
});

describe('viewerUrl', () => {
  const file = 'https://a.example/f?ticket=1&x=$&';
  it.each([
    ['microsoft', `https://view.officeapps.live.com/op/view.aspx?src=${encodeURIComponent(file)}`],
    ['google', `https://docs.google.com/viewer?url=${encodeURIComponent(file)}&embedded=true`],
    ['site', `https://office.example/?src=${encodeURIComponent(file)}&edit=0`],
  ] as const)('gives the whole address to %s', (viewer, want) => {
    expect(viewerUrl(viewer, file, 'https://office.example/?src={url}&edit=0')).toBe(want);
  });
});

describe('officeRules', () => {
  it.each([
    [[], ['microsoft', 'google']],
    [[{ key: 'preview_office_viewers', value: 'google' }], ['google']],
    [[{ key: 'preview_office_viewers', value: '' }], []],
    [
      [
        { key: 'preview_office_viewers', value: '' },
        { key: 'preview_office_viewer_url', value: 'https://o.example/{url}' },
      ],
      ['site'],
    ],
  ])('reads %j', async (rows, want) => {
    fakeApi({ 'GET /admin/settings': data(rows) });
    expect((await officeRules()).viewers).toEqual(want);
  });
});

it('knows what the page can show by itself', () => {
  expect(ownKind({ filename: 'A.DOCX', size: 10 })).toBe('docx');
  expect(ownKind({ filename: 'a.xlsx', size: 10 })).toBe('xlsx');
  expect(ownKind({ filename: 'a.docx', size: 21 << 20 })).toBeUndefined();
  expect(ownKind({ filename: 'a.doc', size: 10 })).toBeUndefined();
  expect([familyOf('a.ppt'), familyOf('b.xls'), familyOf('c.rtf'), familyOf('d')]).toEqual([
    'slides',
    'sheet',
    'word',
    'other',
  ]);
});
