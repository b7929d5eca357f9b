import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { noteBegun, sending } from './begun';
import { useUnfinished } from './useUnfinished';

it('lists what was begun, but not while this page sends it, from whatever list', async () => {
  const file = new File(['bytes'], 'a.bin');
  noteBegun(file, { to: 'share', folder: '', name: 'a.bin', ends: '', file_id: 'f', upload_id: 'u' });
  const { result } = renderHook(useUnfinished);
  await waitFor(() => expect(result.current).toHaveLength(1));
  act(() => sending.set([file]));
  expect(result.current).toEqual([]);
  act(() => sending.set([]));
  expect(result.current).toHaveLength(1);
});
