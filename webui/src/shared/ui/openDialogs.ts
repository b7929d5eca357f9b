// The modal dialogs that stand open, the topmost last. What lies outside of it is out of reach, messages included.
let open: readonly HTMLDialogElement[] = [];
const listeners = new Set<() => void>();

function change(next: readonly HTMLDialogElement[]): void {
  open = next;
  for (const listener of listeners) listener();
}

/** noteDialog says that a dialog stands open; the result says that it does no more. */
export function noteDialog(dialog: HTMLDialogElement): () => void {
  change([...open, dialog]);
  return () => change(open.filter((other) => other !== dialog));
}

/** topDialog is the dialog above all others; undefined when there is none. */
export const topDialog = () => open.at(-1);

export function subscribeDialogs(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
