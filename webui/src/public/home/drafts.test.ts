import { describe, expect, it, vi } from 'vitest';
import { openLatch } from '../../shared/visits/latch';
import {
  claimDraft,
  firstLine,
  keepDraft,
  keptDrafts,
  readDrafts,
  saveDraft,
  textOf,
  unheldDraft,
  type Draft,
} from './drafts';

const form: Draft['form'] = {
  remark: '',
  slug: '',
  expiry: 'never',
  expiryAt: '',
  syntax: '',
  maxViews: '0',
  tell: false,
  ...openLatch,
};
const draft = (id: string, more: Partial<Draft> = {}): Draft => ({
  id,
  text: `text ${id}`,
  mode: 'plain',
  form,
  savedAt: 1,
  archived: false,
  ...more,
});

describe('drafts', () => {
  it('of different tabs stand beside each other, newest first', () => {
    saveDraft(draft('a', { savedAt: 1 }));
    saveDraft(draft('b', { savedAt: 2 }));
    expect(readDrafts().map(({ id }) => id)).toEqual(['b', 'a']);
  });

  it('replace themselves and vanish when they are empty', () => {
    saveDraft(draft('a'));
    saveDraft(draft('a', { text: 'new' }));
    expect(readDrafts().map(({ text }) => text)).toEqual(['new']);
    saveDraft(draft('a', { text: '' }));
    expect(readDrafts()).toEqual([]);
  });

  it('never hold the password', () => {
    saveDraft(draft('a'));
    expect(localStorage.getItem('pp.own.drafts')).not.toContain('password');
  });

  it('keep only the newest archived ones', () => {
    for (let at = 0; at < keptDrafts + 3; at++) saveDraft(draft(`d${at}`, { savedAt: at, archived: true }));
    expect(readDrafts()).toHaveLength(keptDrafts);
    expect(readDrafts()[0]?.id).toBe(`d${keptDrafts + 2}`);
  });

  it.each(['{', '5', '[1,null,{}]', '{"a":1}'])('survive a broken store: %s', (broken) => {
    localStorage.setItem('pp.own.drafts', broken);
    expect(readDrafts()).toEqual([]);
    expect(saveDraft(draft('a'))).toBe(true);
    expect(readDrafts()).toHaveLength(1);
  });

  it('say when they do not fit, after dropping archived ones for room', () => {
    saveDraft(draft('old', { archived: true }));
    const store = vi.spyOn(Storage.prototype, 'setItem').mockImplementation((_, value) => {
      if (value.includes('text old') || value.includes('huge')) throw new DOMException('full');
    });
    expect(saveDraft(draft('a'))).toBe(true);
    expect(store).toHaveBeenCalledTimes(2);
    expect(saveDraft(draft('a', { text: 'huge' }))).toBe(false);
  });
});

describe('a long draft', () => {
  const long = draft('long', { text: 'x'.repeat(300_000) });

  it('is kept whole where the browser has no database, as long as it fits', async () => {
    expect(await keepDraft(long)).toBe(true);
    expect(await textOf(readDrafts()[0] ?? long)).toBe(long.text);
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full');
    });
    expect(await keepDraft(long)).toBe(false);
  });

  it('whose text was dropped says so', async () => {
    const noted = draft('gone', { long: 300_000 });
    await expect(textOf(noted)).rejects.toThrow();
  });
});

describe('a new tab', () => {
  it('takes the newest draft that no other tab is working on', async () => {
    saveDraft(draft('free', { savedAt: 1 }));
    saveDraft(draft('held', { savedAt: 2 }));
    const end = claimDraft(() => 'held');
    try {
      expect((await unheldDraft())?.id).toBe('free');
    } finally {
      end();
    }
    expect((await unheldDraft())?.id).toBe('held');
  });

  it('takes no archived one', async () => {
    saveDraft(draft('a', { archived: true }));
    expect(await unheldDraft()).toBeUndefined();
  });
});

describe('firstLine', () => {
  it.each([
    ['# Title\ntext', 'Title'],
    ['\n\n- item', 'item'],
    ['', ''],
    ['x'.repeat(200), 'x'.repeat(80)],
  ])('of %j', (text, want) => {
    expect(firstLine(text)).toBe(want);
  });
});
