/** A text that could not be saved yet, with the version it was written from. */
export interface Unsaved {
  text: string;
  base: string;
  etag: string;
}

const keyOf = (slug: string) => `pp.edit.${slug}`;

/** readUnsaved answers what this tab kept of a paste. */
export function readUnsaved(slug: string): Unsaved | undefined {
  try {
    const found = JSON.parse(sessionStorage.getItem(keyOf(slug)) ?? 'null') as Partial<Unsaved> | null;
    const { text, base, etag } = found ?? {};
    if (typeof text === 'string' && typeof base === 'string' && typeof etag === 'string')
      return { text, base, etag };
  } catch {
    // Nothing usable is kept.
  }
  return undefined;
}

/** keepUnsaved remembers a text in this tab, or forgets it without one. Reports whether it fitted. */
export function keepUnsaved(slug: string, unsaved: Unsaved | undefined): boolean {
  try {
    if (unsaved) sessionStorage.setItem(keyOf(slug), JSON.stringify(unsaved));
    else sessionStorage.removeItem(keyOf(slug));
    return true;
  } catch {
    return false;
  }
}
