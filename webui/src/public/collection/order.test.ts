import { expect, it } from 'vitest';
import type { CollectionItem } from '../../api/types';
import { ordered } from './order';

const item = (filename: string, size: number, modified: string) =>
  ({ id: filename, filename, size, modified }) as CollectionItem;

it('puts files into the order that was chosen and leaves the given one alone', () => {
  const items = [
    item('b10.txt', 3, '2026-01-02'),
    item('b9.txt', 1, '2026-01-03'),
    item('A.txt', 2, '2026-01-01'),
  ];
  const names = (order: Parameters<typeof ordered>[1]) =>
    ordered(items, order, 'en').map((one) => one.filename);
  expect(names('given')).toEqual(['b10.txt', 'b9.txt', 'A.txt']);
  expect(names('name')).toEqual(['A.txt', 'b9.txt', 'b10.txt']);
  expect(names('newest')).toEqual(['b9.txt', 'b10.txt', 'A.txt']);
  expect(names('largest')).toEqual(['b10.txt', 'A.txt', 'b9.txt']);
});
