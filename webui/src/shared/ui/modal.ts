import { noteDialog } from './openDialogs';

/** modal is the ref of a dialog that is open as long as it is on the page, and gives the focus back after that. */
export function modal(dialog: HTMLDialogElement | null) {
  if (!dialog) return;
  const opener = document.activeElement;
  if (!dialog.open) dialog.showModal();
  const gone = noteDialog(dialog);
  // React focuses autoFocus elements before the dialog is open, where it has no effect.
  dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus();
  return () => {
    gone();
    dialog.close();
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
  };
}
