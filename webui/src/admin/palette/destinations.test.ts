import { beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../auth/session';
import { permissions } from '../../auth/permissions';
import { loadAreas, t } from '../../i18n';
import { destinations, matching } from './destinations';

const admin = { kind: 'admin', can: () => true } as unknown as Session;
const writer = { kind: 'apikey', can: (bits: number) => bits === permissions.TEXT } as unknown as Session;

const sources = {
  keys: [{ id: 'k1', name: 'Build server' }],
  storages: [{ id: 's1', name: 'Backup R2' }],
  mounts: [{ id: 'm1', name: 'Team', mount_path: '/team/files' }],
};

describe('the palette', () => {
  beforeEach(() => loadAreas('admin'));
  const found = (typed: string, read = { sources }) =>
    matching(destinations(t, admin, read), typed).map(({ label, to }) => `${label} ${to}`);

  it('offers pages and forms before anything is typed', () => {
    expect(found('')).toContain('Audit log /admin/audit');
    expect(found('')).toContain('New key /admin/key-management/create');
    expect(found('')).not.toContain('Build server /admin/key-management/k1');
  });

  it('finds records by all words of their name or path', () => {
    expect(found('server BUILD')).toEqual(['Build server /admin/key-management/k1']);
    expect(found('/team')).toEqual(['Team /admin/mount-management/m1']);
    expect(found('nothing like it')).toEqual([]);
  });

  it('finds settings by what they are for, and shares that the server has found', () => {
    const settings = { 1: [{ key: 'max_upload_size', description: 'Largest upload, in MB' }] };
    const shares = [{ kind: 'file', id: 'f1', slug: 'abc', name: 'upload.pdf' }];
    expect(found('largest', { sources, settings } as never)).toEqual([
      'Largest upload, in MB /admin/settings/global',
    ]);
    expect(found('pdf', { sources, shares } as never)).toEqual([
      `abc /admin/shares?filter=${encodeURIComponent('{"q":"abc"}')}`,
    ]);
  });

  it('leads a key only where it may go', () => {
    const all = destinations(t, writer, {}).map(({ to }) => to);
    expect(all).toEqual(['/admin/text-management']);
  });
});
