/** kinds are the lists in the order in which they are looked through: of two lists with the same entry the first wins. */
export const kinds = ['video', 'audio', 'text', 'image', 'office', 'document'] as const;
export type Kind = (typeof kinds)[number];

export const keyOf = (kind: Kind) => `preview_${kind}_types`;

/** extensionsOf reads a list as the server does: at commas and lines, in lower case, empty items passed over. */
export const extensionsOf = (list: unknown): string[] =>
  String(list ?? '')
    .split(/[,\n\r]/)
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');

export const isExtension = (item: string): boolean => /^[a-z0-9]+$/.test(item);

/** shadowed finds the entries of a list that an earlier list has as well, with that list. */
export function shadowed(kind: Kind, lists: Record<Kind, string[]>): { value: string; by: Kind }[] {
  const earlier = kinds.slice(0, kinds.indexOf(kind));
  return lists[kind].flatMap((value) => {
    const by = earlier.find((other) => lists[other].includes(value));
    return by ? [{ value, by }] : [];
  });
}
