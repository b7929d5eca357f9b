import { makeStore, type Followed } from '../../store';

type ToastKind = 'success' | 'info' | 'warning' | 'error';

export interface Toast {
  id: number;
  kind: ToastKind;
  text: string;
  /** lasts in milliseconds; undefined stays until it is closed. */
  lasts: number | undefined;
  actions: readonly ToastAction[];
}

interface ToastAction {
  label: string;
  run: () => void;
}

interface ToastOptions {
  lasts?: number;
  action?: ToastAction;
  /** other is a second thing that can be done. */
  other?: ToastAction;
}

/** How many toasts stand at once; others wait. */
export const atOnce = 3;

const lasts: Record<ToastKind, number | undefined> = {
  success: 3000,
  info: 4000,
  warning: 4000,
  error: undefined,
};
const list = makeStore<readonly Toast[]>([]);
let lastId = 0;

function add(kind: ToastKind, text: string, options: ToastOptions = {}): number {
  const same = list.get().find((toast) => toast.kind === kind && toast.text === text);
  if (same) return same.id;
  const actions = [options.action, options.other].filter((one) => one !== undefined);
  const toast: Toast = { id: ++lastId, kind, text, lasts: options.lasts ?? lasts[kind], actions };
  list.set([...list.get(), toast]);
  return toast.id;
}

/** toast says something in passing; errors stay until they are closed. */
export const toast = {
  success: (text: string, options?: ToastOptions) => add('success', text, options),
  info: (text: string, options?: ToastOptions) => add('info', text, options),
  warning: (text: string, options?: ToastOptions) => add('warning', text, options),
  error: (text: string, options?: ToastOptions) => add('error', text, options),
};

/** retellToast changes the words of a toast that stands, such as how far something is. */
export const retellToast = (id: number, text: string) =>
  list.set(list.get().map((entry) => (entry.id === id ? { ...entry, text } : entry)));

export const closeToast = (id: number) => list.set(list.get().filter((entry) => entry.id !== id));

/** toasts are those that stand and those that wait, the oldest first. */
export const toasts: Followed<readonly Toast[]> = list;
