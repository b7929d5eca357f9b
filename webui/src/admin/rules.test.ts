import { set } from 'react-hook-form';
import { describe, expect, it, vi } from 'vitest';
import type { Config, Driver, DriverField } from '../api/admin/storage';
import type { Key } from '../api/admin/keys';
import type { Bucket } from '../api/admin/system';
import { ApiError } from '../api/errors';
import { permissions } from '../auth/permissions';
import { t } from '../i18n';
import { browserOf } from './account/browser';
import { accountProblems, changeProblem, strengthOf } from './account/rules';
import { busiest, endingSoon, formatDuration, madeWithin, providersOf, stepsOf } from './dashboard/figures';
import { levelOf, percentOf } from '../shared/meter/level';
import { draftOf, valuesOf } from './form/fields';
import { bytesOf, sizeParts } from './form/size';
import { checks } from './form/validate';
import { withBit } from './keys/bits';
import { expiryOf, inFuture, neverEnds } from './keys/expiry';
import { questionFor, typical } from './keys/question';
import { csvOf } from './list/csv';
import { switchRow } from './list/switchRow';
import { overlapping, pathProblem } from './mounts/path';
import { extensionsOf, isExtension, shadowed } from './settings/extensions';
import { faviconGood } from './settings/favicon';
import { wholeMegabytes } from './settings/Global';
import { adviceFor } from './settings/selfTest';
import { eachOf, NotAll } from './data/source';
import { outcomeOf } from './share/useRemoval';
import { storageFields, switched } from './storage/fields';

const { MOUNT_VIEW, MOUNT_UPLOAD, MOUNT_DELETE, WEBDAV_READ, WEBDAV_MANAGE, TEXT } = permissions;

describe('form checks (spec §5)', () => {
  it('name what is wrong, and let the rest pass', () => {
    const check = checks(t);
    expect(check.required('  ')).toBe('Required');
    expect(check.required('x')).toBeUndefined();
    expect(check.longest(2)('长名字')).toBe('At most 2 characters');
    expect(check.longest(3)('长名字')).toBeUndefined();
    expect(check.integer('1.5')).toBe('Enter a whole number');
    expect(check.integer('-2')).toBeUndefined();
    expect(check.integer('')).toBeUndefined();
    expect(check.notNegative('-1')).toBe('Enter 0 or more');
    expect(check.least(1)('0')).toBe('At least 1');
    expect(check.least(1)('1')).toBeUndefined();
    expect(check.most(86_400)('86401')).toBe('At most 86400');
    expect(check.most(86_400)('86400')).toBeUndefined();
    expect(check.url('ftp://x')).toBeDefined();
    expect(check.url('https://x.example')).toBeUndefined();
  });
});

describe('mount paths (spec §5)', () => {
  it.each([
    ['', undefined],
    ['/team', undefined],
    ['/文档/a_b-1', undefined],
    ['team', 'start'],
    ['/', 'root'],
    ['/a//b', 'slashes'],
    ['/a/', 'slashes'],
    ['/a/../b', 'characters'],
    ['/a b', 'characters'],
    ['/etc', 'reserved'],
    ['/proc/self', 'reserved'],
    ['/etcetera', undefined],
  ])('%s: %s', (path, want) => {
    expect(pathProblem(path)).toBe(want && `admin.mounts.wrong.${want}`);
  });

  it('warn of a mount in the same branch, not of neighbours or of itself', () => {
    const mounts = [
      { id: '1', mount_path: '/a' },
      { id: '2', mount_path: '/a/b' },
      { id: '3', mount_path: '/ab' },
    ];
    expect(overlapping('/a/b', mounts, '2').map((mount) => mount.id)).toEqual(['1']);
    expect(overlapping('/a', mounts, '1').map((mount) => mount.id)).toEqual(['2']);
    expect(overlapping('/x', mounts)).toEqual([]);
  });
});

describe('permissions of a key', () => {
  it('bring what they need with them, and say so', () => {
    expect(withBit(0, 'MOUNT_UPLOAD', true)).toEqual({
      bits: MOUNT_VIEW | MOUNT_UPLOAD,
      added: 'MOUNT_VIEW',
    });
    expect(withBit(MOUNT_VIEW, 'MOUNT_DELETE', true)).toEqual({ bits: MOUNT_VIEW | MOUNT_DELETE });
    expect(withBit(0, 'WEBDAV_MANAGE', true)).toEqual({
      bits: WEBDAV_READ | WEBDAV_MANAGE,
      added: 'WEBDAV_READ',
    });
    expect(withBit(0, 'TEXT', true)).toEqual({ bits: TEXT });
    expect(withBit(0, 'MOUNT_VIEW', true)).toEqual({ bits: MOUNT_VIEW });
  });
  it('take what hangs on them away', () => {
    expect(withBit(TEXT | MOUNT_VIEW | MOUNT_UPLOAD, 'MOUNT_VIEW', false)).toEqual({ bits: TEXT });
    expect(withBit(WEBDAV_READ | WEBDAV_MANAGE, 'WEBDAV_MANAGE', false)).toEqual({ bits: WEBDAV_READ });
  });
});

describe('the end of a key', () => {
  const now = new Date('2026-11-21T00:00:00.000Z');
  it.each([
    ['keep', undefined],
    ['never', null],
    ['day', '2026-11-22T00:00:00.000Z'],
    ['week', '2026-11-28T00:00:00.000Z'],
    ['month', '2026-12-21T00:00:00.000Z'],
    ['days', '2026-11-24T00:00:00.000Z'],
  ] as const)('%s is sent as %s', (choice, want) => {
    expect(expiryOf(choice, { at: '', days: 3 }, now)).toBe(want);
  });
  it('knows the year that means never, and the past', () => {
    expect(neverEnds('9999-12-31T23:59:59.000Z')).toBe(true);
    expect(neverEnds('2027-01-01T00:00:00.000Z')).toBe(false);
    expect(inFuture('', now)).toBe(false);
    expect(inFuture('2000-01-01T00:00', now)).toBe(false);
    expect(inFuture('2100-01-01T00:00', now)).toBe(true);
  });
});

describe('the account form (spec §5)', () => {
  const base = { newUsername: '', currentPassword: 'old', newPassword: '', repeat: '' };
  it.each([
    [{ ...base, newUsername: 'boss' }, {}],
    [{ ...base, newPassword: 'new', repeat: 'new' }, {}],
    [base, { newUsername: 'admin.account.needsOne' }],
    [{ ...base, newPassword: 'old', repeat: 'old' }, { newPassword: 'admin.account.samePassword' }],
    [{ ...base, newPassword: 'new', repeat: 'nwe' }, { repeat: 'admin.account.notEqual' }],
    [{ ...base, currentPassword: '', newUsername: 'x' }, { currentPassword: 'admin.form.required' }],
  ])('%o: %o', (values, want) => {
    expect(accountProblems(values)).toEqual(want);
  });
  it.each([
    [new ApiError('Current password is incorrect', { status: 401 }), 'Current password is incorrect'],
    [new ApiError('', { status: 401 }), 'Verification failed'],
    [new ApiError('', { failure: 'timeout' }), 'The server took too long to respond'],
  ])('say of a failure what the server says, else that the password was not accepted', (error, want) => {
    expect(changeProblem(error, t)).toBe(want);
  });
  it('hints at weak passwords', () => {
    expect(strengthOf('short1!')).toBe('weak');
    expect(strengthOf('onlylowercase')).toBe('fair');
    expect(strengthOf('correct horse battery staple')).toBe('strong');
  });
});

describe('sizes', () => {
  it('keep their unit where they fit', () => {
    expect(sizeParts(5 * 1024 ** 3)).toEqual({ amount: 5, unit: 'GB' });
    expect(sizeParts(100 * 1024 ** 2)).toEqual({ amount: 100, unit: 'MB' });
    expect(sizeParts(0)).toEqual({ amount: 0, unit: 'GB' });
    expect(bytesOf(2, 'TB')).toBe(2 * 1024 ** 4);
  });
  it('are whole MB to the server', () => {
    expect(wholeMegabytes({ amount: 1, unit: 'GB' })).toBe(1024);
    expect(wholeMegabytes({ amount: 1536, unit: 'KB' })).toBe(1);
    expect(wholeMegabytes({ amount: '100', unit: 'KB' })).toBe(0);
  });
});

describe('lists of extensions', () => {
  it('are read as the server reads them', () => {
    expect(extensionsOf(' TXT, md,\n,Go ')).toEqual(['txt', 'md', 'go']);
    expect(isExtension('.txt')).toBe(false);
    expect(isExtension('7z')).toBe(true);
  });
  it('say which list wins', () => {
    const lists = { video: ['ts'], audio: [], text: ['md', 'ts'], image: [], office: [], document: ['md'] };
    expect(shadowed('text', lists)).toEqual([{ value: 'ts', by: 'video' }]);
    expect(shadowed('document', lists)).toEqual([{ value: 'md', by: 'text' }]);
    expect(shadowed('video', lists)).toEqual([]);
  });
});

it.each([
  ['', true],
  ['https://x.example/i.png', true],
  ['data:image/png;base64,AA', true],
  ['data:text/html,x', false],
  ['javascript:alert(1)', false],
  ['icon.png', false],
])('the icon %s: %s', (url, want) => {
  expect(faviconGood(url)).toBe(want);
});

it.each([
  ['OPTIONS', 204, ''],
  ['PROPFIND', 207, ''],
  ['PROPFIND', 405, 'method'],
  ['PROPFIND', 401, 'auth'],
  ['PUT', 403, 'write'],
  ['PUT', 0, 'network'],
  ['OPTIONS', 403, 'method'],
] as const)('the self-test reads %s %i as "%s"', (method, status, want) => {
  expect(adviceFor(method, status)).toBe(want);
});

describe('CSV', () => {
  it('quotes what needs it, and lets no cell run as a formula', () => {
    const columns = [
      { source: 'a', label: 'A', render: () => '', csv: (row: { a: string | number | null }) => row.a },
      { source: 'b', label: 'B', render: () => '' },
    ];
    const rows = [{ a: 'x, "y"\nz' }, { a: '=1+1' }, { a: 7 }, { a: null }, { a: '文本' }];
    expect(csvOf(columns, rows)).toBe('\uFEFFA\r\n"x, ""y""\nz"\r\n\'=1+1\r\n7\r\n\r\n文本\r\n');
  });
});

describe('the dashboard’s figures', () => {
  it('point out storages that are nearly full', () => {
    expect([percentOf(3, 4), percentOf(9, 0), percentOf(20, 10)]).toEqual([75, undefined, 100]);
    expect([74, 75, 89, 90, undefined].map(levelOf)).toEqual(['fine', 'high', 'high', 'full', 'fine']);
  });
  it('sum by provider', () => {
    const bucket = (providerType: string, usedStorage: number) => ({ providerType, usedStorage }) as Bucket;
    expect(providersOf([bucket('R2', 1), bucket('', 5), bucket('R2', 2)], 'Other')).toEqual([
      { name: 'Other', used: 5 },
      { name: 'R2', used: 3 },
    ]);
  });
  it('name the days in UTC, today last, and the busiest', () => {
    const perDay = { pastes: [0, 0, 0, 2, 0, 0, 1], files: [0, 0, 0, 0, 0, 0, 1] };
    const days = stepsOf({ perDay }, new Date('2026-11-21T23:30:00Z'));
    expect(days[6]?.date.toISOString()).toBe('2026-11-21T00:00:00.000Z');
    expect(busiest(days)?.date.toISOString()).toBe('2026-11-18T00:00:00.000Z');
    expect(busiest(days.slice(0, 2))).toBeUndefined();
  });
  it('are summed by weeks that end today where there are many', () => {
    const counts = Array.from({ length: 90 }, () => 1);
    const weeks = stepsOf({ perDay: { pastes: counts, files: counts } }, new Date('2026-11-21T12:00:00Z'));
    expect(weeks).toHaveLength(13);
    expect(weeks.map(({ texts }) => texts).slice(0, 2)).toEqual([6, 7]);
    expect(weeks.at(0)?.date.toISOString()).toBe('2026-08-24T00:00:00.000Z');
    expect(weeks.at(-1)?.date.toISOString()).toBe('2026-11-15T00:00:00.000Z');
  });
  it('list the keys that end within a week', () => {
    const key = (id: string, expires_at: string, is_expired: 0 | 1 = 0) =>
      ({ id, expires_at, is_expired, is_active: 1 }) as Key;
    const now = new Date('2026-11-21T00:00:00Z');
    const keys = [
      key('late', '2026-11-27T00:00:00Z'),
      key('soon', '2026-11-22T00:00:00Z'),
      key('far', '2026-12-01T00:00:00Z'),
      key('gone', '2026-11-20T00:00:00Z', 1),
      key('ever', '9999-12-31T23:59:59Z'),
    ];
    expect(endingSoon(keys, now).map((entry) => entry.id)).toEqual(['soon', 'late']);
  });
  it('write durations in two units', () => {
    expect(formatDuration(3 * 86_400 + 4 * 3600, 'en-US')).toBe('3 days 4 hours');
    expect(formatDuration(59, 'en-US')).toBe('0 minutes');
  });
});

describe('the form of a storage config', () => {
  const field = (key: string, more: Partial<DriverField> = {}): DriverField => ({
    key,
    label: {},
    help: {},
    type: 'text',
    required: false,
    secret: false,
    flat: true,
    options: [],
    default: '',
    ...more,
  });
  const driver = (name: string, capacity: number, fields: DriverField[]) =>
    ({
      name,
      label: { en: name.toUpperCase() } as Record<string, string>,
      provider_type: name,
      storage_type: 'S3',
      total_storage_bytes: capacity,
      fields,
    }) as Driver;
  const aws = driver('aws', 5 * 1024 ** 3, [
    field('region', { default: 'us-east-1' }),
    field('secret_access_key', { secret: true, type: 'password' }),
    field('path_style', { type: 'bool', default: '0' }),
    field('credentials', { flat: false, default: 'keys' }),
  ]);
  const r2 = driver('r2', 10 * 1024 ** 3, [
    field('region', { default: 'auto' }),
    field('account_id', { flat: false }),
  ]);

  const fieldsOf = (of: Driver, stored?: Config) => storageFields(t, 'en-US', { driver: of, stored });

  it('sends flat fields flat, the others as options, and no blank secret', () => {
    const values = { ...valuesOf(fieldsOf(aws)), name: ' main ' };
    expect(draftOf(fieldsOf(aws), values)).toEqual({
      name: 'main',
      driver: 'aws',
      provider_type: 'aws',
      region: 'us-east-1',
      path_style: false,
      options: { credentials: 'keys' },
      total_storage_bytes: 5 * 1024 ** 3,
      default_folder: '',
      custom_host: null,
      signature_expires_in: 3600,
      is_public: false,
    });
    set(values, 'fields.secret_access_key', 's3cret');
    expect(draftOf(fieldsOf(aws), values)).toMatchObject({ secret_access_key: 's3cret' });
  });

  it('fills only what nobody has touched when the provider changes', () => {
    const typed = valuesOf(fieldsOf(aws));
    set(typed, 'fields.region', 'eu-central-1');
    expect(switched(typed, fieldsOf(r2), new Set())).toEqual({
      name: 'R2',
      fields: { region: 'auto', account_id: '' },
      capacity: { amount: 10, unit: 'GB' },
    });
    expect(switched(typed, fieldsOf(r2), new Set(['region'])).fields?.region).toBe('eu-central-1');
    expect(switched(typed, fieldsOf(r2), new Set(['name']))).not.toHaveProperty('name');
  });

  it('reads a stored config, but for its secrets', () => {
    // As the server writes it, with numbers for switches.
    const stored: Config = Object.assign(Object.create(null), {
      name: 'x',
      region: 'eu',
      path_style: 1,
      options: { credentials: 'role' },
      total_storage_bytes: 1024,
      default_folder: 'up',
      custom_host: null,
      signature_expires_in: 60,
      is_public: 1,
    });
    expect(valuesOf(fieldsOf(aws, stored), stored)).toMatchObject({
      fields: { region: 'eu', path_style: true, credentials: 'role', secret_access_key: '' },
      capacity: { amount: 1, unit: 'KB' },
      is_public: true,
    });
  });
});

describe('questions about a key', () => {
  const draft = { id: undefined, permissions: MOUNT_VIEW, basicPath: '/team', guest: true };
  it('name a path for mounts and WebDAV, and the own shares for all else', () => {
    expect(questionFor(draft, typical.MOUNT_VIEW, '/team/a')).toMatchObject({
      type: 'apikey',
      permissions: MOUNT_VIEW,
      basic_path: '/team',
      guest: true,
      action: 'mount.list',
      kind: 'mount',
      paths: ['/team/a'],
      name: 'a',
    });
    expect(questionFor({ ...draft, id: 'k1' }, 'paste.update', '/team')).toMatchObject({
      kind: 'paste',
      caller_id: 'k1',
      owner: 'apikey:k1',
    });
    expect(questionFor(draft, 'paste.update', '/team')).not.toHaveProperty('paths');
  });
});

describe('an action on many rows', () => {
  const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id, name: id.toUpperCase() }));
  it('counts what was done, what waits for the network, and says of each failure why', async () => {
    const done = eachOf(
      rows.map(({ id }) => id),
      (id) => {
        if (id === 'b') throw new ApiError('', { failure: 'queued' });
        if (id === 'e') throw new ApiError('in use by 2 files', { status: 409, code: 'in_use' });
        return Promise.resolve();
      },
    );
    const error: unknown = await done.catch((problem: unknown) => problem);
    if (!(error instanceof NotAll)) throw new Error('every row was done');
    const outcome = outcomeOf(error, rows, t, (id) => ({ to: `/admin/shares/${id}`, label: 'look' }));
    expect(outcome).toEqual({
      done: 4,
      queued: 1,
      failed: [{ name: 'E', error: 'in use by 2 files', wayOut: { to: '/admin/shares/e', label: 'look' } }],
    });
  });
});

describe('what is new in a week', () => {
  it('is what was made in the seven days before now', () => {
    const now = new Date('2026-11-21T12:00:00Z');
    const made = (at: string) => ({ created_at: at });
    expect(
      madeWithin(
        7,
        [made('2026-11-14T11:59:59Z'), made('2026-11-14T12:00:01Z'), made('2026-11-21T11:00:00Z')],
        now,
      ),
    ).toBe(2);
  });
});

describe('the browser of a session', () => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  it.each([
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/126.0 Safari/537.36`, 'Chrome', 'Linux'],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64) ${webkit} Chrome/126.0 Safari/537.36 Edg/126.0`,
      'Edge',
      'Windows',
    ],
    [
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Version/17.4 Safari/605.1`,
      'Safari',
      'macOS',
    ],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${webkit} CriOS/126.0 Safari/604.1`,
      'Chrome',
      'iOS',
    ],
    ['Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0', 'Firefox', 'Android'],
    ['curl/8.5.0', 'curl', undefined],
    ['Harbour phone', undefined, undefined],
    ['Linux', undefined, undefined],
    ['', undefined, undefined],
  ])('%s', (agent, browser, system) => {
    expect(browserOf(agent)).toEqual({ ...(browser && { browser }), ...(system && { system }) });
  });
});

describe('a switch of a row', () => {
  const overtaken = new ApiError('', { status: 412, code: 'precondition_failed' });
  const row = { id: 'a', is_active: 1, etag: '"1"' } as const;
  const readAs = (is_active: 0 | 1) => async () => ({ is_active });
  it('is turned when the row is the one that was seen', async () => {
    const update = vi.fn(async () => undefined);
    expect(await switchRow(row, { update, read: readAs(0) })).toBe(true);
    expect(update).toHaveBeenCalledWith('a', { is_active: false }, '"1"');
  });
  it('is not turned when the row is another, unless it is so already', async () => {
    const update = () => Promise.reject(overtaken);
    expect(await switchRow(row, { update, read: readAs(0) })).toBe(true);
    expect(await switchRow(row, { update, read: readAs(1) })).toBe(false);
  });
  it('hands on what else goes wrong', async () => {
    const gone = new ApiError('', { status: 404, code: 'not_found' });
    await expect(switchRow(row, { update: () => Promise.reject(gone), read: readAs(0) })).rejects.toBe(gone);
  });
});
