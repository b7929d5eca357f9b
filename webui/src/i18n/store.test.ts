import { describe, expect, it } from 'vitest';
import { language, loadAreas, setLanguage, startLanguage, t } from '.';
import { firstLanguage, shown } from './store';

describe('firstLanguage', () => {
  it('is the stored choice', () => {
    localStorage.setItem('language', 'zh-CN');
    expect(firstLanguage()).toBe('zh-CN');
  });

  it.each([
    ['zh', 'zh-CN'],
    ['zh-TW', 'zh-CN'],
    ['ZH-Hans-CN', 'zh-CN'],
    ['en-GB', 'en-US'],
    ['fr', 'en-US'],
  ])('follows a browser that speaks %s', (browser, want) => {
    const own = Object.getOwnPropertyDescriptor(Navigator.prototype, 'language');
    Object.defineProperty(navigator, 'language', { value: browser, configurable: true });
    try {
      expect(firstLanguage()).toBe(want);
    } finally {
      if (own) Object.defineProperty(navigator, 'language', own);
    }
  });

  it('ignores a stored value it does not know', () => {
    localStorage.setItem('language', 'xx');
    expect(['zh-CN', 'en-US']).toContain(firstLanguage());
    expect(firstLanguage()).not.toBe('xx');
  });
});

describe('startLanguage', () => {
  it('leaves what is shown as it is, for the second of two that begin with it', async () => {
    await setLanguage('zh-CN');
    await Promise.all([startLanguage('en-US'), startLanguage('en-US')]);
    const first = shown.get();
    expect(first?.language).toBe('en-US');
    await startLanguage('en-US');
    expect(shown.get()).toBe(first);
  });

  it('tells of a language once', async () => {
    await setLanguage('zh-CN');
    let told = 0;
    const stop = shown.subscribe(() => told++);
    await Promise.all([startLanguage('en-US'), startLanguage('en-US')]);
    stop();
    expect(told).toBe(1);
  });
});

describe('setLanguage', () => {
  it('switches the texts, the document and what is remembered', async () => {
    await setLanguage('zh-CN');
    expect(t('common.cancel')).toBe('取消');
    expect(document.documentElement.lang).toBe('zh-CN');
    expect(localStorage.getItem('language')).toBe('zh-CN');
    expect(language()).toBe('zh-CN');
  });

  it('brings the areas in use along', async () => {
    await loadAreas('home');
    await setLanguage('zh-CN');
    expect(t('home.share.submit')).toBe('分享');
  });
});

describe('t', () => {
  it('takes plural forms in English', () => {
    expect(t('notFound.returning', 1)).toBe('Returning home in 1 second.');
    expect(t('notFound.returning', 5)).toBe('Returning home in 5 seconds.');
  });

  it('fills in values', () => {
    expect(t('app.who.key', { name: 'ci' })).toBe('Key: ci');
  });
});
