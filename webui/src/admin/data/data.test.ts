import type { GetListParams } from 'react-admin';
import { describe, expect, it } from 'vitest';
import { data, fakeApi, refused } from '../../testing/fakeApi';
import { dataProvider } from './provider';
import { queryOf } from './rest';
import { clientPage } from './clientPage';

const params = (change: Partial<GetListParams> = {}): GetListParams => ({
  pagination: { page: 1, perPage: 20 },
  sort: { field: 'created_at', order: 'DESC' },
  filter: {},
  ...change,
});

describe('queryOf', () => {
  it.each([
    [params(), { limit: 20, offset: 0, search: undefined, sort: 'created_at', order: 'desc' }],
    [
      params({ pagination: { page: 3, perPage: 50 }, sort: { field: 'slug', order: 'ASC' } }),
      { limit: 50, offset: 100, search: undefined, sort: 'slug', order: 'asc' },
    ],
    [
      params({ filter: { q: ' note ', state: 'expired', other: '' } }),
      { limit: 20, offset: 0, search: 'note', state: 'expired', sort: 'created_at', order: 'desc' },
    ],
  ])('turns %o into a query', (given, want) => {
    expect(queryOf(given)).toEqual(want);
  });
});

describe('clientPage', () => {
  const all = [
    { id: '1', name: 'beta', order: 10, active: 1 },
    { id: '2', name: 'Alpha', order: 9, active: 0 },
    { id: '3', name: 'gamma', order: 2, active: 1 },
  ];
  const ids = (given: Partial<GetListParams>) => {
    const { data: rows, total } = clientPage(all, params(given), ['name']);
    return [rows.map((row) => row.id).join(' '), total];
  };
  it('sorts numbers as numbers and words as people do', () => {
    expect(ids({ sort: { field: 'order', order: 'ASC' } })).toEqual(['3 2 1', 3]);
    expect(ids({ sort: { field: 'name', order: 'ASC' } })).toEqual(['2 1 3', 3]);
  });
  it('searches without regard to case, filters, and cuts', () => {
    expect(ids({ filter: { q: 'ALPHA' } })).toEqual(['2', 1]);
    expect(ids({ filter: { active: '1' }, sort: { field: 'order', order: 'DESC' } })).toEqual(['1 3', 2]);
    expect(ids({ pagination: { page: 2, perPage: 2 }, sort: { field: 'id', order: 'ASC' } })).toEqual([
      '3',
      3,
    ]);
  });
});

describe('dataProvider', () => {
  it('pages texts on the server', async () => {
    const api = fakeApi({
      'GET /pastes': { code: 200, data: [{ id: 'p1', slug: 'a' }], pagination: { total: 41 } },
    });
    const found = await dataProvider.getList(
      'text-management',
      params({ pagination: { page: 2, perPage: 20 } }),
    );
    expect(found.total).toBe(41);
    expect(api.calls[0]?.path).toBe('/pastes?limit=20&offset=20&sort=created_at&order=desc');
  });

  it('pages files on the server', async () => {
    fakeApi({ 'GET /files': data({ files: [{ id: 'f1' }], pagination: { total: 1 } }) });
    const found = await dataProvider.getList('file-management', params());
    expect(found).toMatchObject({ data: [{ id: 'f1' }], total: 1 });
  });

  it.each([
    ['key-management', '/admin/api-keys'],
    ['mount-management', '/admin/mounts'],
  ])('pages %s on the server', async (resource, path) => {
    const api = fakeApi({
      [`GET ${path}`]: { code: 200, data: [{ id: 'a' }], pagination: { total: 100_000 } },
    });
    const found = await dataProvider.getList(
      resource,
      params({
        pagination: { page: 3, perPage: 20 },
        sort: { field: 'name', order: 'ASC' },
        filter: { q: 'ci', state: 'active' },
      }),
    );
    expect(found.total).toBe(100_000);
    const query = new URLSearchParams(api.calls[0]?.path.split('?')[1]);
    expect(Object.fromEntries(query)).toEqual({
      limit: '20',
      offset: '40',
      search: 'ci',
      sort: 'name',
      order: 'asc',
      state: 'active',
    });
  });

  it('reads a key by its id, and says when it is gone', async () => {
    fakeApi({ 'GET /admin/api-keys/k1': data({ id: 'k1', name: 'ci' }) });
    expect((await dataProvider.getOne('key-management', { id: 'k1' })).data).toMatchObject({ name: 'ci' });
    await expect(dataProvider.getOne('key-management', { id: 'k2' })).rejects.toMatchObject({ status: 404 });
  });

  it('changes the version that was seen, and answers the one that is there now', async () => {
    const api = fakeApi({
      'PUT /admin/mounts/m1': data(null),
      'GET /admin/mounts/m1': data({ id: 'm1', name: 'new' }),
    });
    const previousData = { id: 'm1', name: 'old', etag: '"7"' };
    const changed = await dataProvider.update('mount-management', {
      id: 'm1',
      data: { name: 'new' },
      previousData,
    });
    expect(changed.data).toMatchObject({ id: 'm1', name: 'new' });
    expect(api.calls[0]).toMatchObject({ method: 'PUT', body: { name: 'new' } });
    expect(api.calls[0]?.headers.get('If-Match')).toBe('"7"');
  });

  it('has changed what it cannot read afterwards', async () => {
    fakeApi({ 'PUT /admin/mounts/m1': data(null), 'GET /admin/mounts/m1': refused(503, 'busy') });
    const previousData = { id: 'm1', name: 'old', remark: 'x' };
    const changed = await dataProvider.update('mount-management', {
      id: 'm1',
      data: { name: 'new' },
      previousData,
    });
    expect(changed.data).toEqual({ id: 'm1', name: 'new', remark: 'x' });
  });

  it('hands on what the server refuses, row by row', async () => {
    fakeApi({ 'DELETE /s3-configs/c1': refused(409, 'in_use'), 'DELETE /s3-configs/c2': data(null) });
    await expect(dataProvider.deleteMany('storage-config', { ids: ['c1', 'c2'] })).rejects.toMatchObject({
      done: 1,
      failed: [{ id: 'c1', error: { code: 'in_use' } }],
    });
  });

  it('says which files stay', async () => {
    const api = fakeApi({
      'DELETE /files/batch-delete': data({ success: 1, failed: [{ id: 'f2', error: 'it is in use' }] }),
    });
    await expect(
      dataProvider.deleteMany('file-management', { ids: ['f1', 'f2'], meta: { mode: 'record_only' } }),
    ).rejects.toMatchObject({ done: 1, failed: [{ id: 'f2', error: { message: 'it is in use' } }] });
    expect(api.calls[0]?.body).toEqual({ ids: ['f1', 'f2'], delete_mode: 'record_only' });
  });

  it('narrows shares down by where they come from, and revokes them by kind and id', async () => {
    const api = fakeApi({
      'GET /admin/shares': data({ shares: [{ kind: 'paste', id: 'p1', slug: 'a' }], total: 7 }),
      'POST /admin/shares/revoke': data({ success: 1, failed: [{ id: 'f2', error: 'it is in use' }] }),
    });
    const found = await dataProvider.getList(
      'shares',
      params({ filter: { from: 'mount /my files', only: 'unused', kind: 'file' } }),
    );
    expect(found).toMatchObject({ data: [{ id: 'paste p1', slug: 'a' }], total: 7 });
    const query = new URLSearchParams(api.calls[0]?.path.split('?')[1]);
    expect(Object.fromEntries(query)).toMatchObject({ mount: '/my files', unused: '1', kind: 'file' });
    await expect(dataProvider.deleteMany('shares', { ids: ['paste p1', 'file f2'] })).rejects.toMatchObject({
      done: 1,
      failed: [{ id: 'file f2', error: { message: 'it is in use' } }],
    });
    expect(api.calls[1]?.body).toEqual({
      items: [
        { kind: 'paste', id: 'p1' },
        { kind: 'file', id: 'f2' },
      ],
    });
  });

  it('pages tasks and the audit log on the server', async () => {
    fakeApi({
      'GET /fs/tasks': data({ tasks: [{ id: 't1' }], pagination: { total: 3 } }),
      'GET /admin/audit': data({ entries: [{ n: 9, action: 'key.create' }], total: 100_000 }),
    });
    expect(await dataProvider.getList('tasks', params())).toMatchObject({ data: [{ id: 't1' }], total: 3 });
    expect(await dataProvider.getList('audit', params())).toMatchObject({
      data: [{ id: 9 }],
      total: 100_000,
    });
  });
});
