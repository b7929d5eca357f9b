import { beforeEach, expect, it } from 'vitest';
import { permissions } from '../../auth/permissions';
import { loadAreas, setLanguage, t } from '../../i18n';
import { sentenceOf } from './scopes';

const { TEXT, FILE_SHARE, MOUNT_VIEW, MOUNT_UPLOAD } = permissions;
const never = '9999-12-31T23:59:59.000Z';

beforeEach(() => loadAreas('admin'));

it('says in one sentence what a key may do, where, and until when', async () => {
  const say = (bits: number, path: string, end = never) =>
    sentenceOf({ permissions: bits, basic_path: path, expires_at: end }, t, 'en-US');
  expect(say(0, '/')).toBe('May do nothing yet.');
  expect(say(TEXT, '/')).toBe('May share texts, with no expiry date.');
  expect(say(MOUNT_VIEW | MOUNT_UPLOAD, '/team', '2026-12-01T12:00:00Z')).toMatch(
    /^May read files and upload files in \/team until .*2026.*\.$/,
  );
  expect(say(TEXT | FILE_SHARE | MOUNT_VIEW, '/')).toBe(
    'May share texts, share files, and read files in all mounts, with no expiry date.',
  );
  await setLanguage('zh-CN');
  await loadAreas('admin');
  expect(sentenceOf({ permissions: MOUNT_VIEW, basic_path: '/team', expires_at: never }, t, 'zh-CN')).toBe(
    '可在 /team 中读取文件，永不过期。',
  );
  await setLanguage('en-US');
});
