import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../client';
import { isUnsigned, stageRestore } from './operations';

// The server's own texts, so that the two cannot part.
const messages = readFileSync('../adapters/httpapi/words/messages.go', 'utf8');
function textsOf(key: string): string[] {
  const row = new RegExp(`"${key.replace('.', '\\.')}": *\\{"(.*)", "(.*)"\\}`).exec(messages);
  return row?.slice(1) ?? [];
}
const refusal = (message: string) => new ApiError(message, { status: 400, code: 'invalid_argument' });

describe('a backup that is handed back', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('can be accepted when the master key does not prove it, in both languages', () => {
    const texts = textsOf('backup.unsigned');
    expect(texts).toHaveLength(2);
    expect(texts.map((text) => isUnsigned(refusal(text)))).toEqual([true, true]);
  });

  it('cannot be accepted when it is damaged', () => {
    const texts = textsOf('backup.invalid');
    expect(texts).toHaveLength(2);
    expect(texts.map((text) => isUnsigned(refusal(text)))).toEqual([false, false]);
  });

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
