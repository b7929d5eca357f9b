import { describe, expect, test } from 'vitest';
import { cleaned } from './copies';

describe('cleaned', () => {
  test.each([
    ['a password', { slug: 'a', content: 'x', hasPassword: true }],
    ['a password of a file', { slug: 'a', requires_password: true }],
    ['a view limit', { slug: 'a', content: 'x', maxViews: 3 }],
    ['one view left', { slug: 'a', content: 'x', isLastView: true }],
  ])('keeps nothing of a share with %s', (_name, share) => {
    expect(cleaned(share)).toBeUndefined();
  });

  test('keeps an open share, without what signs or authorises', () => {
    const file = {
      slug: 'a',
      hasPassword: false,
      plain_password: 'secret',
      previewUrl: 'https://bucket.example.com/a?X-Amz-Signature=1',
      proxy_preview_url: '/api/file-view/a',
      parts: [{ url: '/api/blob/token/name' }],
    };
    expect(cleaned(file)).toEqual({
      slug: 'a',
      hasPassword: false,
      previewUrl: '',
      proxy_preview_url: '/api/file-view/a',
      parts: [{ url: '' }],
    });
  });

  test('tells the name of a setting and the kind of a field from a secret', () => {
    const kept = [
      { key: 'site_title', value: 'Harbour' },
      { key: 'secret_access_key', label: 'Secret', secret: true },
      { id: '1', name: 'script', permissions: 3 },
    ];
    const [setting, field, key] = kept;
    expect(cleaned([setting, { ...field, token: 'abc' }, { ...key, key: 'sk-abc' }])).toEqual(kept);
  });

  test('keeps the rows of a list, protected ones without their text', () => {
    const list = [
      { slug: 'open', content: 'x', hasPassword: false },
      { slug: 'shut', content: 'y', hasPassword: true },
    ];
    expect(cleaned(list)).toEqual([
      { slug: 'open', content: 'x', hasPassword: false },
      { slug: 'shut', hasPassword: true },
    ]);
  });
});
