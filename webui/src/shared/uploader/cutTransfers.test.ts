import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ownPrefix } from '../../config';

const note = (page: string, at: number, names: string[]) =>
  localStorage.setItem(
    `${ownPrefix}moving:${page}`,
    JSON.stringify({
      at,
      moving: names.map((name) => ({ name, folder: '/m', size: 10, sent: 4 })),
    }),
  );

/** soon waits for what a busy machine may take long for. */
const soon = (holds: () => void) => vi.waitFor(holds, 60_000);

describe('uploads of closed pages', () => {
  beforeEach(() => {
    localStorage.clear();
    vi.resetModules();
  });

  it('are found, forgotten one by one, and gone after a week', async () => {
    const { cutTransfers } = await import('./cutTransfers');
    const now = Date.now();
    note('closed', now - 600_000, ['a.bin', 'b.bin']);
    note('old', now - 8 * 86_400_000, ['c.bin']);
    await cutTransfers.look();
    expect(cutTransfers.get().map(({ name, sent }) => `${name} ${sent}`)).toEqual(['a.bin 4', 'b.bin 4']);
    expect(localStorage.getItem(`${ownPrefix}moving:old`)).toBeNull();
    const [first] = cutTransfers.get();
    if (first) cutTransfers.forget(first);
    await soon(() => expect(cutTransfers.get().map(({ name }) => name)).toEqual(['b.bin']));
    const [last] = cutTransfers.get();
    if (last) cutTransfers.forget(last);
    await soon(() => expect(cutTransfers.get()).toEqual([]));
    expect(localStorage.getItem(`${ownPrefix}moving:closed`)).toBeNull();
  });

  it('are not those of a page that is open, nor what is no note', async () => {
    const { cutTransfers } = await import('./cutTransfers');
    note('open', Date.now() - 1000, ['a.bin']);
    localStorage.setItem(`${ownPrefix}moving:odd`, '{"at":1}');
    await cutTransfers.look();
    expect(cutTransfers.get()).toEqual([]);
  });

  it('are noted while they run, and not when they have ended', async () => {
    const { uploads } = await import('./uploads');
    const { cutTransfers } = await import('./cutTransfers');
    cutTransfers.watch();
    const kept = () => Object.keys(localStorage).filter((key) => key.startsWith(`${ownPrefix}moving:`));
    let end: () => void = () => {};
    uploads.add([{ file: new File(['x'], 'a.bin'), folder: '/m', to: 'mount' }]);
    uploads.start(({ name }) => new Promise((resolve) => (end = () => resolve({ folder: '/m', name }))));
    expect(kept()).toHaveLength(1);
    expect(localStorage.getItem(kept()[0] ?? '')).toContain('a.bin');
    end();
    await soon(() => expect(kept()).toEqual([]));
  });
});
