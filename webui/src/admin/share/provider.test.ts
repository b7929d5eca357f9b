import { expect, it } from 'vitest';
import { providerName } from './provider';

it('calls a disk of the server in the language of the page, and all others by their own name', () => {
  const t = (key: string) => `t:${key}`;
  expect(providerName('Local disk', t)).toBe('t:admin.words.localDisk');
  expect(providerName('Cloudflare R2', t)).toBe('Cloudflare R2');
});
