import { fireEvent, render, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Change, Effect, Logged } from '../../api/admin/operations';
import { EffectTable } from './EffectTable';

const logged = (id: string, at: string, before: boolean): Logged => ({
  decision_id: id,
  timestamp: at,
  type: 'apikey',
  name: 'ci',
  action: 'file.upload',
  path: `/${id}`,
  before,
  codes: before ? [] : ['site:night'],
});
const change = (one: Logged, now: boolean, rest: Partial<Change> = {}): Change => ({
  ...one,
  now,
  after: now ? [] : ['weekend'],
  failed: '',
  ...rest,
});

const effect: Effect = {
  asked: 4,
  skipped: 1,
  changes: [
    change(logged('a', '2026-11-24T10:00:00Z', true), false),
    change(logged('b', '2026-11-24T08:00:00Z', true), true, {
      limits: [
        { name: 'max_size', before: 0, now: 2 * 1024 * 1024 },
        { name: 'list_limit', before: 1000, now: 0 },
      ],
    }),
    change(logged('c', '2026-11-24T07:00:00Z', false), false, { failed: 'it took too long' }),
  ],
  same: [logged('d', '2026-11-24T09:00:00Z', false)],
};

const rows = () =>
  within(screen.getByRole('table'))
    .getAllByRole('row')
    .slice(1)
    .map((row) => row.textContent);

it('tells what changes, from what to what, and the rest only on wish, by time', () => {
  render(<EffectTable effect={effect} />);
  expect(screen.getByRole('status').textContent).toContain('Would change 3 of the last 4 decisions');
  expect(screen.getByRole('status').textContent).toContain('1 decision made without rules was skipped');
  expect(rows()).toHaveLength(3);
  expect(rows()[0]).toMatch(/^AllowedDeniedweekend/);
  expect(rows()[1]).toContain('max_size no limit → 2 MB');
  expect(rows()[1]).toContain('list_limit 1,000 → no limit');
  expect(rows()[2]).toMatch(/^Deniedsite:nightUndecidedit took too long/);
  fireEvent.click(screen.getByRole('checkbox', { name: 'Only what changes' }));
  expect(rows().map((text) => /\/[a-d]/.exec(text ?? '')?.[0])).toEqual(['/a', '/d', '/b', '/c']);
  expect(rows()[1]).toContain('Unchanged');
});

it('shows many changes in steps', () => {
  const many = Array.from({ length: 120 }, (_, n) =>
    change(logged(`n${n}`, '2026-11-24T10:00:00Z', true), false),
  );
  render(<EffectTable effect={{ asked: 120, skipped: 0, changes: many }} />);
  expect(rows()).toHaveLength(50);
  fireEvent.click(screen.getByRole('button', { name: 'Show more' }));
  expect(rows()).toHaveLength(100);
});

it('says so when nothing changes, and when there is nothing to compare with', () => {
  const { rerender } = render(<EffectTable effect={{ asked: 7, skipped: 0, changes: [] }} />);
  expect(screen.getByRole('status').textContent).toContain('Wouldn’t change any of the last 7 decisions');
  rerender(<EffectTable effect={{ asked: 0, skipped: 0, changes: [] }} />);
  expect(screen.getByRole('status').textContent).toContain('The decision log is still empty');
});
