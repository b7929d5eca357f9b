import { makeStore, useStore } from '../../store';

// The modal dialogs that stand open, the topmost last. What lies outside of it is out of reach, messages included.
const open = makeStore<readonly HTMLDialogElement[]>([]);

/** noteDialog says that a dialog stands open; the result says that it does no more. */
export function noteDialog(dialog: HTMLDialogElement): () => void {
  open.set([...open.get(), dialog]);
  return () => open.set(open.get().filter((other) => other !== dialog));
}

/** useTopDialog is the dialog above all others; undefined when there is none. */
export const useTopDialog = () => useStore(open, (dialogs) => dialogs.at(-1));
