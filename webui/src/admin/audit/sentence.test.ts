import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../api/admin/operations';
import { hasMessage, loadAreas, setLanguage, t } from '../../i18n';
import { inWords, sentence } from './sentence';

const entry = (change: Partial<AuditEntry>): AuditEntry => ({
  n: 1,
  chain: '0',
  seq: 1,
  prev: '',
  hash: '',
  timestamp: '2026-11-24T10:00:00Z',
  type: 'admin',
  actor: 'a1',
  name: 'admin',
  action: 'key.create',
  target: 'k1 ci',
  outcome: 'done',
  code: '',
  client_ip: '192.0.2.1',
  request_id: 'r1',
  details: null,
  ...change,
});

const known = {
  keys: [{ id: 'k1', name: 'ci' }],
  storages: [{ id: 's1', name: 'Backup R2' }],
  mounts: [{ id: 'm1', name: 'Team' }],
};

describe.each(['en-US', 'zh-CN'] as const)('the audit log in %s', (language) => {
  beforeEach(async () => {
    await setLanguage(language);
    await loadAreas('admin', 'ops');
  });
  const speech = () => ({ t, language, known });

  it('has a sentence for every action that the server notes', () => {
    const api = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../../../docs/openapi.json'), 'utf8'),
    ) as { 'x-audit-actions': string[] };
    const actions = api['x-audit-actions'];
    expect(actions.length).toBeGreaterThan(40);
    expect(actions.filter((action) => !hasMessage(`ops.audit.did.${action}`))).toEqual([]);
    for (const action of actions)
      expect
        .soft(inWords(entry({ action, target: 'x y' }), speech()), action)
        .not.toMatch(/[%{}\0]|undefined/);
  });

  it('names channels without their ids', () => {
    const target = '01a2103e-0e25-708f-bd41-eb32f4c63e37 Duty officer';
    const told = inWords(entry({ action: 'channel.create', target }), speech());
    expect(told).toContain('Duty officer');
    expect(told).not.toContain('01a2103e');
  });

  it('names fields as their forms do, and nothing that stayed', () => {
    const told = inWords(
      entry({
        action: 'storage.update',
        target: 's1 Backup R2',
        details: {
          region: 'eu',
          is_public: true,
          custom_host: null,
          secret_access_key: '********',
          before: { region: 'auto', is_public: 1, custom_host: '', secret_access_key: '********' },
        },
      }),
      speech(),
    );
    expect(told).toBe(
      language === 'en-US'
        ? 'The administrator changed the storage Backup R2: region, secret'
        : '管理员修改了存储 Backup R2：区域、私有密钥',
    );
  });
});

describe('sentence', () => {
  beforeEach(async () => {
    await setLanguage('en-US');
    await loadAreas('admin', 'ops');
  });
  const told = (change: Partial<AuditEntry>) =>
    sentence(entry(change), { t, language: 'en-US', known }).filter((piece) => piece !== '');

  it('leads to records that are still there, by the name they had', () => {
    expect(told({ action: 'key.rotate', target: 'k1 ci' })).toEqual([
      'The administrator',
      ' rotated the key ',
      { text: 'ci', to: '/admin/key-management/k1' },
    ]);
    expect(
      told({ action: 'mount.delete', target: 'gone Old', type: 'apikey', actor: 'k1', name: 'ci' }),
    ).toEqual([
      { text: 'The key “ci”', to: '/admin/key-management/k1' },
      ' deleted the mount ',
      { text: 'Old', to: undefined },
    ]);
    // The log notes of a request what it was called.
    const requests = [{ id: 'r1', name: 'Photos' }];
    const ofRequest = (change: Partial<AuditEntry>) =>
      sentence(entry({ target: 'r1', ...change }), { t, language: 'en-US', known: { ...known, requests } });
    expect(ofRequest({ action: 'request.update', details: { max_files: 3 } })).toContainEqual({
      text: 'Photos',
      to: '/admin/requests/r1',
    });
    expect(
      ofRequest({ action: 'request.delete', target: 'gone', details: { before: { title: 'Plans' } } }),
    ).toContainEqual({ text: 'Plans', to: undefined });
    const channels = [{ id: 'c1', name: 'Duty officer' }];
    expect(
      sentence(entry({ action: 'channel.update', target: 'c1 Duty officer', details: { active: true } }), {
        t,
        language: 'en-US',
        known: { ...known, channels },
      }),
    ).toContainEqual({ text: 'Duty officer', to: '/admin/notifications/c1' });
    // Entries of older versions know the id alone.
    expect(told({ action: 'storage.set_default', target: 's1' })).toContainEqual({
      text: 'Backup R2',
      to: '/admin/storage-config/s1',
    });
  });

  it.each([
    [
      { type: 'system', name: 'command line', action: 'key.rotate', target: 'x' },
      'The command line rotated the master key',
    ],
    [{ action: 'setting.update', target: '4' }, 'The administrator changed a setting: Site settings'],
    [
      { action: 'paste.delete', target: '', details: { ids: ['1', '2'] } },
      'The administrator deleted 2 texts',
    ],
    [
      { action: 'fs.remove', target: '', details: { paths: ['/a', '/b', '/c', '/d', '/e'] } },
      'The administrator deleted 5 files and folders: /a, /b, /c, +2',
    ],
    [{ type: 'anonymous', action: 'session.open', target: '', outcome: 'failed' }, 'A sign-in failed'],
    [{ action: 'later.invented', target: '' }, 'The administrator did “later.invented”'],
  ] as const)('tells %o', (change, want) => {
    expect(
      told(change as Partial<AuditEntry>)
        .map((piece) => (typeof piece === 'string' ? piece : piece.text))
        .join(''),
    ).toBe(want);
  });
});
