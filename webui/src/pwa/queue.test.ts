import { expect, test } from 'vitest';
import { kindOf, waitBefore } from './queue';

test.each([
  ['POST', '/paste', 'createPaste'],
  ['PUT', '/pastes/abc-1', 'updatePaste'],
  ['DELETE', '/pastes/batch-delete', 'batchDelete'],
  ['POST', '/admin/pastes/clear-expired', 'clearExpired'],
  ['POST', '/pastes/clear-expired', 'clearExpired'],
  ['PUT', '/admin/settings/group/4', 'updateGroupSettings'],
  ['POST', '/user/cache/clear', 'clearCache'],
])('%s %s may wait as %s', (method, path, kind) => {
  expect(kindOf(method, path)).toBe(kind);
});

test.each([
  ['POST', '/public/files/abc/verify'],
  ['POST', '/admin/login'],
  ['POST', '/admin/change-password'],
  ['POST', '/paste/abc'],
  ['PUT', '/pastes/../admin/settings'],
  ['DELETE', '/fs/batch-remove'],
  ['POST', '//evil.example/paste'],
])('%s %s never waits', (method, path) => {
  expect(kindOf(method, path)).toBeUndefined();
});

test('the waits between tries double up to half a minute', () => {
  expect([1, 2, 3, 9].map(waitBefore)).toEqual([1000, 2000, 4000, 30_000]);
});
