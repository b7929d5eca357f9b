import { describe, expect, it } from 'vitest';
import { changeRules } from '../rules';
import { keepAll, termChanges, termProblems, type Terms } from './changes';

const now = new Date('2026-01-10T12:00:00Z');
const terms: Terms = {
  slug: 'abc',
  remark: ' A note',
  expiresAt: '2020-01-01T00:00:00Z',
  maxViews: 5,
  hasPassword: true,
};

describe('changing the terms of a share', () => {
  it('sends nothing of what is kept', () => {
    expect(termChanges(keepAll(terms), terms, now)).toEqual({});
  });

  it('has nothing against what is kept, not even an end in the past', () => {
    expect(termProblems(keepAll(terms), terms, now)).toEqual({});
  });

  it('keeps what goes past the limits of the site, and holds changes to them', () => {
    changeRules({ maxHours: 24, maxViews: 2, password: true });
    const open = { ...terms, hasPassword: false };
    expect(termProblems(keepAll(open), open, now)).toEqual({});
    const typed = { ...keepAll(open), expiry: 'week' as const, maxViews: '4' };
    expect(Object.keys(termProblems(typed, open, now)).sort()).toEqual(['expiry', 'maxViews']);
    changeRules({ maxHours: 0, maxViews: 0, password: false });
  });

  it.each([
    [{ remark: 'Other' }, { remark: 'Other' }],
    [{ remark: '' }, { remark: '' }],
    [{ expiry: 'never' as const }, { expiresAt: null }],
    [{ expiry: 'hour' as const }, { expiresAt: new Date('2026-01-10T13:00:00Z') }],
    [{ maxViews: '' }, { maxViews: 0 }],
    [{ maxViews: ' 5 ' }, {}],
    [{ passwordMode: 'set' as const, password: 'pw' }, { password: 'pw' }],
    [{ passwordMode: 'remove' as const, password: 'left over' }, { password: '' }],
    [{ slug: 'new' }, { slug: 'new' }],
  ])('%j changes %j', (typed, want) => {
    expect(termChanges({ ...keepAll(terms), ...typed }, terms, now)).toEqual(want);
  });

  it.each([
    [{ slug: 'a b' }, 'slug'],
    [{ maxViews: '-1' }, 'maxViews'],
    [{ expiry: 'custom' as const, expiryAt: '2020-01-01T00:00' }, 'expiryAt'],
    [{ passwordMode: 'set' as const }, 'password'],
    [{ remark: 'x'.repeat(201) }, 'remark'],
  ])('refuses %j', (typed, field) => {
    expect(termProblems({ ...keepAll(terms), ...typed }, terms, now)).toHaveProperty(field);
  });
});
