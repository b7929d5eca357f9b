import { session } from '../../../auth/session';
import { ownPrefix, readStoredJson, writeStored } from '../../../config';

/** A text that was being edited when its page went away. */
export interface Backup {
  text: string;
  /** at is when it was kept, in milliseconds. */
  at: number;
}

const keyOf = (path: string) => `${ownPrefix}edit:${path}`;

const isBackup = (value: unknown): value is Backup => {
  const { text, at } = (value ?? {}) as Partial<Backup>;
  return typeof text === 'string' && typeof at === 'number';
};

/** backups keep texts that are not saved yet on this device. */
export const backups = {
  get: (path: string) => readStoredJson(keyOf(path), isBackup),
  /** keep reports whether the device had room. */
  keep: (path: string, text: string) => writeStored(keyOf(path), JSON.stringify({ text, at: Date.now() })),
  /** keepLast is for a page that goes away. What signing out has removed from this device stays removed. */
  keepLast(path: string, text: string) {
    if (session().kind !== 'none' || backups.get(path)) backups.keep(path, text);
  },
  forget: (path: string) => writeStored(keyOf(path), ''),
};
