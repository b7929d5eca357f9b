import { ownPrefix, readStoredJson, writeStored } from '../../config';

/** Visit is what this browser remembers of a request it sends to, so that a reload changes nothing. */
export interface Visit {
  secret: string;
  sender: string;
  note: string;
}

const keyOf = (slug: string) => `${ownPrefix}request.${slug}`;

const isVisit = (value: unknown): value is Visit => {
  const { secret, sender, note } = (value ?? {}) as Partial<Record<keyof Visit, unknown>>;
  return [secret, sender, note].every((text) => typeof text === 'string');
};

/** visitOf is the visit to a request; its secret is "" when none was begun. */
export const visitOf = (slug: string): Visit =>
  readStoredJson(keyOf(slug), isVisit) ?? { secret: '', sender: '', note: '' };

/** changeVisit remembers something of the visit. */
export function changeVisit(slug: string, change: Partial<Visit>): void {
  // The versions before noted here what was begun, without a proof of the file: that goes.
  const { secret, sender, note } = visitOf(slug);
  writeStored(keyOf(slug), JSON.stringify({ secret, sender, note, ...change }));
}
