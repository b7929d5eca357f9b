import { renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadAreas } from '../../i18n';
import { announcerId } from '../../shared/page';
import { closeToast, toasts } from '../../shared/ui/toasts';
import type { UploadTotals } from '../../shared/uploader/queue';
import { useUploadNotes } from './useUploadNotes';

const region = document.createElement('p');

beforeEach(async () => {
  await loadAreas('file');
  region.id = announcerId;
  region.textContent = '';
  document.body.append(region);
});

afterEach(() => {
  region.remove();
  for (const { id } of toasts.get()) closeToast(id);
});

it('speaks of a run at every quarter and at its end, not with every tick', () => {
  const said: string[] = [];
  vi.spyOn(region, 'textContent', 'set').mockImplementation((text) => void said.push(text ?? ''));
  const at = (sent: number, more: Partial<UploadTotals> = {}): UploadTotals => ({
    files: 2,
    done: 0,
    failed: 0,
    active: true,
    bytes: 1000,
    sent,
    speed: sent,
    remaining: 1000 - sent,
    ...more,
  });
  const { rerender } = renderHook(useUploadNotes, { initialProps: at(0) });
  for (let sent = 0; sent <= 1000; sent += 5) rerender(at(sent));
  rerender(at(1000, { active: false, done: 1, failed: 1 }));
  expect(said.map((text) => /\d+/.exec(text)?.[0])).toEqual(['25', '50', '75', '100']);
  expect(toasts.get().map(({ kind }) => kind)).toEqual(['warning']);
});

it('writes its counts as people do', () => {
  const run: UploadTotals = {
    files: 3456,
    done: 0,
    failed: 0,
    active: true,
    bytes: 1,
    sent: 1,
    speed: null,
    remaining: null,
  };
  const { rerender } = renderHook(useUploadNotes, { initialProps: run });
  rerender({ ...run, active: false, done: 1234, failed: 2222 });
  expect(toasts.get().map(({ text }) => text)).toEqual(['1,234 uploaded, 2,222 failed']);
});
