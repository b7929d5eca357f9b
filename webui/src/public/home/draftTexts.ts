import { openDB, type DBSchema } from 'idb';
import { draftTexts as name } from '../../config';

interface Schema extends DBSchema {
  texts: { key: string; value: { id: string; text: string; savedAt: number } };
}

/** A text without a draft is dropped after so many milliseconds; before that, its tab may still be writing the draft. */
const grace = 60_000;

// Opened for each use, so that signing out in another tab can remove it at once.
async function withTexts<T>(act: (db: Awaited<ReturnType<typeof open>>) => Promise<T>): Promise<T> {
  const db = await open();
  try {
    return await act(db);
  } finally {
    db.close();
  }
}

const open = () =>
  openDB<Schema>(name, 1, {
    upgrade: (db) => void db.createObjectStore('texts', { keyPath: 'id' }),
  });

/** keep stores the text of a long draft. Rejects when the device has no room. */
export const keep = (id: string, text: string): Promise<unknown> =>
  withTexts((db) => db.put('texts', { id, text, savedAt: Date.now() }));

/** read gives the text of a long draft. Rejects when it is not there any more. */
export const read = (id: string): Promise<string> =>
  withTexts(async (db) => {
    const found = await db.get('texts', id);
    if (!found) throw new Error(`no text of draft ${id}`);
    return found.text;
  });

/** sweep drops the texts whose draft is gone or became short: those that `held` does not name. */
export async function sweep(held: ReadonlySet<string>, now = Date.now()): Promise<void> {
  await withTexts(async (db) => {
    const transaction = db.transaction('texts', 'readwrite');
    for (let at = await transaction.store.openCursor(); at; at = await at.continue())
      if (!held.has(at.value.id) && now - at.value.savedAt > grace) await at.delete();
    await transaction.done;
  }).catch(() => undefined);
}
