/** units are those of the size fields, with base 1024. */
export const units = [
  ['KB', 1024],
  ['MB', 1024 ** 2],
  ['GB', 1024 ** 3],
  ['TB', 1024 ** 4],
] as const;

/** sizeParts writes bytes as a whole number of the greatest unit that fits; other sizes as KB. */
export function sizeParts(bytes: number): { amount: number; unit: string } {
  const fits = [...units].reverse().find(([, size]) => bytes >= size && bytes % size === 0) ?? units[0];
  return { amount: bytes / fits[1], unit: bytes === 0 ? 'GB' : fits[0] };
}

export const bytesOf = (amount: number, unit: string): number =>
  Math.round(amount * (units.find(([name]) => name === unit)?.[1] ?? 1));
