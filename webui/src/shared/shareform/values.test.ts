import { afterEach, describe, expect, it } from 'vitest';
import { changeRules } from '../rules';
import {
  emptyShare,
  expiryChoices,
  expiresAt,
  expiresInHours,
  freshShare,
  generatePassword,
  generateSlug,
  maxViewsOf,
  shareProblems,
  slugProblem,
} from './values';

const now = new Date('2026-01-10T12:00:00Z');

describe('slugProblem (spec §5)', () => {
  it.each([
    ['', undefined],
    ['a', undefined],
    ['My-link_2', undefined],
    ['x'.repeat(50), undefined],
    ['x'.repeat(51), 'share.errors.slugLength'],
    ['a b', 'share.errors.slugRule'],
    ['a/b', 'share.errors.slugRule'],
    ['链接', 'share.errors.slugRule'],
    ['..', 'share.errors.slugRule'],
    ['admin', 'share.errors.slugReserved'],
    ['WebDAV', 'share.errors.slugReserved'],
  ])('%j: %s', (slug, want) => {
    expect(slugProblem(slug)).toBe(want);
  });
});

describe('shareProblems', () => {
  it('has nothing against an empty form', () => {
    expect(shareProblems(emptyShare, now)).toEqual({});
  });

  it.each(['', '0', '1', ' 12 '])('accepts %j views', (maxViews) => {
    expect(shareProblems({ ...emptyShare, maxViews }, now)).toEqual({});
  });

  it.each(['-1', '1.5', 'x', '1e3', '99999999999'])('refuses %j views', (maxViews) => {
    expect(shareProblems({ ...emptyShare, maxViews }, now)).toEqual({ maxViews: 'share.errors.maxViews' });
  });

  it.each([
    ['1', undefined],
    ['3650', undefined],
    ['3651', 'visits.access.daysWrong'],
    ['0', 'visits.access.daysWrong'],
    ['', 'visits.access.daysWrong'],
    ['1.5', 'visits.access.daysWrong'],
  ])('an end that moves by %j days: %s', (days, want) => {
    expect(shareProblems({ ...emptyShare, slides: true, days }, now).days).toBe(want);
    expect(shareProblems({ ...emptyShare, days }, now)).toEqual({});
  });

  it('counts a remark in characters, not in UTF-16 units', () => {
    expect(shareProblems({ ...emptyShare, remark: '😀'.repeat(200) }, now)).toEqual({});
    expect(shareProblems({ ...emptyShare, remark: 'x'.repeat(201) }, now)).toHaveProperty('remark');
  });

  it.each(['', '2020-01-01T00:00', 'nonsense'])('refuses %j as a custom end', (expiryAt) => {
    expect(shareProblems({ ...emptyShare, expiry: 'custom', expiryAt }, now)).toHaveProperty('expiryAt');
  });

  it('ignores a custom end that is not in use', () => {
    expect(shareProblems({ ...emptyShare, expiry: 'day', expiryAt: '2020-01-01T00:00' }, now)).toEqual({});
  });
});

describe('the end of a share', () => {
  it.each([
    ['hour', 1, '2026-01-10T13:00:00.000Z'],
    ['day', 24, '2026-01-11T12:00:00.000Z'],
    ['week', 168, '2026-01-17T12:00:00.000Z'],
    ['month', 720, '2026-02-09T12:00:00.000Z'],
  ] as const)('after a %s', (expiry, hours, want) => {
    expect(expiresAt({ ...emptyShare, expiry }, now)?.toISOString()).toBe(want);
    expect(expiresInHours({ ...emptyShare, expiry }, now)).toBe(hours);
  });

  it('may be never', () => {
    expect(expiresAt(emptyShare, now)).toBeNull();
    expect(expiresInHours(emptyShare, now)).toBe(0);
  });

  it('rounds a custom time up to hours, so that nothing ends early', () => {
    const at = new Date(now.getTime() + 90 * 60_000);
    const pad = (n: number) => String(n).padStart(2, '0');
    const expiryAt = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}T${pad(at.getHours())}:${pad(at.getMinutes())}`;
    expect(expiresInHours({ ...emptyShare, expiry: 'custom', expiryAt }, now)).toBe(2);
  });
});

describe('generators', () => {
  it('draw passwords of 16 readable characters', () => {
    expect(generatePassword()).toMatch(/^[a-km-zA-HJ-NP-Z2-9]{16}$/);
    expect(generatePassword()).not.toBe(generatePassword());
  });

  it('draw links of 26 characters that are valid', () => {
    const slug = generateSlug();
    expect(slug).toHaveLength(26);
    expect(slugProblem(slug)).toBeUndefined();
  });
});

it('reads an empty limit as unlimited', () => {
  expect(maxViewsOf({ ...emptyShare, maxViews: '' })).toBe(0);
  expect(maxViewsOf({ ...emptyShare, maxViews: ' 3 ' })).toBe(3);
});

describe('on a site with limits', () => {
  afterEach(() => changeRules({ defaultHours: 0, maxHours: 0, maxViews: 0, password: false }));

  it.each([
    [0, 0, 'never', ['hour', 'day', 'week', 'month', 'never', 'custom']],
    [24, 0, 'day', ['hour', 'day', 'week', 'month', 'never', 'custom']],
    [48, 0, 'usual', ['hour', 'day', 'usual', 'week', 'month', 'never', 'custom']],
    [24, 168, 'day', ['hour', 'day', 'week', 'custom']],
    [100, 100, 'usual', ['hour', 'day', 'usual', 'custom']],
    [12, 100, 'usual', ['hour', 'usual', 'day', 'longest', 'custom']],
  ] as const)(
    '%i hours by default and %i at most: starts with %s',
    (defaultHours, maxHours, first, choices) => {
      changeRules({ defaultHours, maxHours });
      expect(freshShare().expiry).toBe(first);
      expect(expiryChoices()).toEqual(choices);
      expect(shareProblems(freshShare(), now)).toEqual({});
      expect(expiresInHours(freshShare(), now)).toBe(defaultHours);
    },
  );

  it('has something against what goes past them', () => {
    changeRules({ maxHours: 24, maxViews: 5, password: true });
    expect(shareProblems({ ...emptyShare, maxViews: '6' }, now)).toEqual({
      expiry: 'share.errors.expiryOver',
      maxViews: 'share.errors.viewsOver',
      password: 'share.errors.passwordNeeded',
    });
    expect(shareProblems(emptyShare, now)).toHaveProperty('maxViews');
    const later = { ...emptyShare, expiry: 'custom' as const, expiryAt: '2026-01-12T12:00', password: 'x' };
    expect(shareProblems({ ...later, maxViews: '5' }, now)).toEqual({ expiryAt: 'share.errors.expiryOver' });
  });
});
