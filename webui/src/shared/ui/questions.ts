import type { ReactNode } from 'react';
import { makeStore, type Followed } from '../../store';

/** A question that needs yes or no. */
export interface Confirmation {
  title: string;
  body?: ReactNode;
  confirmLabel?: string;
  cancelLabel?: string;
  /** danger styles the answer as destructive and gives the focus to Cancel. */
  danger?: boolean;
  /** run does the work while the dialog stays open and busy; the dialog closes after it, also when it fails. */
  run?: () => Promise<void>;
}

/** A question that needs a text. */
export interface TextQuestion {
  title: string;
  label: string;
  value?: string;
  confirmLabel?: string;
  hint?: string;
  /** validate answers what is wrong with the text, or "" when it may be used. */
  validate?: (value: string) => string;
  /** secret hides what is typed, such as a password. */
  secret?: boolean;
  /** select is how many leading characters are selected at first; all by default. */
  select?: number;
}

export type Question = { id: number } & (
  | { kind: 'confirm'; ask: Confirmation; answer: (yes: boolean) => void }
  | { kind: 'text'; ask: TextQuestion; answer: (value: string | undefined) => void }
);

const queue = makeStore<readonly Question[]>([]);
let lastId = 0;

const add = (question: Question) => queue.set([...queue.get(), question]);

/** questions is what waits for an answer; the first one is shown. */
export const questions: Followed<readonly Question[]> = queue;

/** settle takes the first question off the queue. */
export const settle = () => queue.set(queue.get().slice(1));

/** confirm asks a question in a dialog and answers whether the user agreed. */
export function confirm(ask: Confirmation): Promise<boolean> {
  return new Promise((answer) => add({ id: ++lastId, kind: 'confirm', ask, answer }));
}

/** askText asks for a text in a dialog; undefined when the user cancelled. */
export function askText(ask: TextQuestion): Promise<string | undefined> {
  return new Promise((answer) => add({ id: ++lastId, kind: 'text', ask, answer }));
}
