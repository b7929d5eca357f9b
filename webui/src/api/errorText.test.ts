import { describe, expect, it } from 'vitest';
import { setLanguage, t } from '../i18n';
import { ApiError } from './client';
import { errorText, toldText } from './errorText';

describe('errorText (spec §8)', () => {
  it.each([
    [
      'a known code wins over the server text',
      { status: 401, code: 'password_wrong' },
      '密码错误 (wrong password)',
      'Incorrect password',
    ],
    [
      'the server text stands for other codes',
      { status: 400, code: 'invalid_argument' },
      'bad date',
      'bad date',
    ],
    [
      'an English message loses its Chinese words',
      { status: 409, code: 'in_use' },
      '有文件正在使用 (shared files use it: 20)',
      'Shared files use it: 20',
    ],
    [
      'what follows those words stays',
      { status: 507, code: 'quota_exceeded' },
      '存储空间不足 (insufficient storage): file size(5 B)',
      'Insufficient storage: file size(5 B)',
    ],
    ['a 409 without text is a taken slug', { status: 409 }, '', 'This link is taken. Choose another one.'],
    [
      'a 401 without text asks to sign in',
      { status: 401 },
      '',
      'You’re not signed in. Sign in and try again.',
    ],
    [
      'a refusal by a rule of the site names its decision',
      { status: 403, code: 'policy_denied', decisionId: 'd-1' },
      'Only in office hours',
      'Only in office hours (decision d-1)',
    ],
    ['other statuses are named', { status: 503 }, '', 'HTTP error 503: Service Unavailable'],
    [
      'a limit says how long to wait',
      { status: 429, retryAfter: 1 },
      'x',
      'Too many attempts. Try again in 1 second.',
    ],
    ['a limit without a time', { status: 429 }, 'x', 'Too many attempts. Try again in a moment.'],
    ['a timeout', { failure: 'timeout' as const }, '', 'The server took too long to respond'],
    ['no network', { failure: 'network' as const }, '', 'Can’t reach the server. Check your connection.'],
  ])('%s', (_, details, message, want) => {
    expect(errorText(new ApiError(message, details), t)).toBe(want);
  });

  it('has the Chinese texts of the specification', async () => {
    await setLanguage('zh-CN');
    expect(errorText(new ApiError('', { status: 418 }), t)).toBe('HTTP错误 418: ');
    expect(errorText(new ApiError('', { failure: 'aborted' }), t)).toBe('请求被取消或超时');
    expect(errorText(new Error('x'), t)).toBe('请求失败');
  });
});

describe('toldText', () => {
  it.each([
    ['storage_unavailable', '存储不可用', 'The storage isn’t responding. Try again later.'],
    ['mount_not_found', '不存在 (no such mount)', 'No such mount'],
    ['', 'as it stands', 'as it stands'],
  ])('says of %s and “%s” “%s”', async (error, message, want) => {
    await setLanguage('en-US');
    expect(toldText({ error, message }, t)).toBe(want);
  });
});
