import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { noteBegun } from './begun';
import { uploads } from './uploads';
import { useUnfinished } from './useUnfinished';

it.each(['share', 'text'] as const)(
  'lists what was begun, but not while it is on this tab’s list as a %s',
  async (to) => {
    const file = new File(['bytes'], 'a.bin');
    noteBegun(file, { to: 'share', folder: '', name: 'a.bin', ends: '', file_id: 'f', upload_id: to });
    const { result } = renderHook(() => useUnfinished());
    const mine = () => result.current.filter(({ upload_id }) => upload_id === to);
    await waitFor(() => expect(mine()).toHaveLength(1));
    act(() => void uploads.add([{ file, to }]));
    expect(mine()).toEqual([]);
    act(() => uploads.clear());
    expect(mine()).toHaveLength(1);
  },
);
