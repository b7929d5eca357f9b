import { afterEach, describe, expect, it, vi } from 'vitest';
import { stageRestore } from './operations';

describe('a backup that is handed back', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('is sent as accepted only when asked for', async () => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', (url: string) => {
      asked.push(url);
      return Promise.resolve(new Response('{}'));
    });
    const file = new File(['x'], 'a.backup');
    await stageRestore(file);
    await stageRestore(file, true);
    expect(asked.map((url) => url.replace(/^.*\/api/, ''))).toEqual([
      '/admin/backup/restore',
      '/admin/backup/restore?accept_unsigned=true',
    ]);
  });
});
