import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { missingOptional, platformOf } from './lock-stubs.mjs';

const text = readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8');

it('holds no address of a registry', () => {
  expect(text).not.toContain('"resolved"');
  expect(text).not.toMatch(/https?:\/\/[^"]*registry/);
});

it('has an entry for every optional dependency, without which npm ci refuses it', () => {
  expect([...missingOptional(JSON.parse(text)).keys()]).toEqual([]);
});

it('sees an optional dependency that is missing', () => {
  const lock = {
    packages: {
      '': {},
      'node_modules/a': { optionalDependencies: { '@a/linux-x64-musl': '1.0.0', b: '2.0.0' } },
      'node_modules/a/node_modules/b': {},
    },
  };
  expect([...missingOptional(lock).keys()]).toEqual(['node_modules/@a/linux-x64-musl']);
  expect(platformOf('@a/linux-x64-musl')).toEqual({ os: ['linux'], cpu: ['x64'], libc: ['musl'] });
  expect(platformOf('@a/win32-arm64-msvc')).toEqual({ os: ['win32'], cpu: ['arm64'] });
});
