import type { CollectionItem } from '../../api/types';

/** An Order of the files; 'given' is that of who shares them, or by name in a folder. */
export const orders = ['given', 'name', 'newest', 'largest'] as const;
export type Order = (typeof orders)[number];

/** ordered puts files into an order; names are compared as people count and read. */
export function ordered(
  items: readonly CollectionItem[],
  order: Order,
  language: string,
): readonly CollectionItem[] {
  const { compare } = new Intl.Collator(language, { numeric: true });
  switch (order) {
    case 'given':
      return items;
    case 'name':
      return items.toSorted((a, b) => compare(a.filename, b.filename));
    case 'newest':
      return items.toSorted((a, b) => (b.modified ?? '').localeCompare(a.modified ?? ''));
    case 'largest':
      return items.toSorted((a, b) => b.size - a.size);
  }
}
