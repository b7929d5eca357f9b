import { ownPrefix, readStoredJson, writeStored } from '../../config';

/** Begun is a file in parts that this browser has begun to send and not ended. */
export interface Begun {
  id: string;
  name: string;
  /** bytes */
  size: number;
  modified: number;
}

/** Visit is what this browser remembers of a request it sends to, so that a reload changes nothing. */
export interface Visit {
  secret: string;
  sender: string;
  note: string;
  begun: Begun[];
}

const keyOf = (slug: string) => `${ownPrefix}request.${slug}`;

const isVisit = (value: unknown): value is Visit => {
  const { secret, sender, note, begun } = (value ?? {}) as Partial<Record<keyof Visit, unknown>>;
  return (
    [secret, sender, note].every((text) => typeof text === 'string') &&
    Array.isArray(begun) &&
    begun.every((one: Partial<Begun> | null) => typeof one?.id === 'string' && typeof one.name === 'string')
  );
};

/** visitOf is the visit to a request that was begun before; undefined without one. */
export const visitOf = (slug: string): Visit | undefined => readStoredJson(keyOf(slug), isVisit) ?? undefined;

/** changeVisit remembers something of the visit. */
export function changeVisit(slug: string, change: Partial<Visit>): void {
  const before = visitOf(slug) ?? { secret: '', sender: '', note: '', begun: [] };
  writeStored(keyOf(slug), JSON.stringify({ ...before, ...change }));
}

/** begunAs is the unfinished upload of this very file. */
export const begunAs = (slug: string, file: File): Begun | undefined =>
  visitOf(slug)?.begun.find(
    ({ name, size, modified }) => name === file.name && size === file.size && modified === file.lastModified,
  );

export function noteBegun(slug: string, id: string, file: File): void {
  const { name, size, lastModified: modified } = file;
  changeVisit(slug, { begun: [...(visitOf(slug)?.begun ?? []), { id, name, size, modified }] });
}

export function forgetBegun(slug: string, id: string): void {
  changeVisit(slug, { begun: (visitOf(slug)?.begun ?? []).filter((one) => one.id !== id) });
}
