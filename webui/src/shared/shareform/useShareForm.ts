import { useId, useState } from 'react';
import { freshShare, shareProblems, type ShareField, type ShareProblems, type ShareValues } from './values';

/** ShareFormState is the form's values with what is wrong with them. */
export interface ShareFormState {
  values: ShareValues;
  /** problems to show now: of fields that were left once, and what the server refused. */
  problems: ShareProblems;
  /** id of the form's fieldset. */
  id: string;
  set(change: Partial<ShareValues>): void;
  /** leave marks a field as seen, so that its problem is shown. */
  leave(field: ShareField): void;
  /** warn shows what the server said about a field, until the field changes. */
  warn(field: ShareField, messageKey: string): void;
  /** refuse does the same and moves the focus there, after a share was refused. */
  refuse(field: ShareField, messageKey: string): void;
  /** check shows every problem, moves the focus to the first, and says whether the form may be sent. */
  check(): boolean;
  reset(values?: Partial<ShareValues>): void;
}

export function useShareForm(initial: Partial<ShareValues> = {}): ShareFormState {
  const [values, setValues] = useState<ShareValues>(() => ({ ...freshShare(), ...initial }));
  const [seen, setSeen] = useState<ReadonlySet<ShareField>>(new Set());
  const [refused, setRefused] = useState<ShareProblems>({});
  const id = useId();

  const found = shareProblems(values, new Date());
  const fields = Object.keys(values) as ShareField[];
  const problems: ShareProblems = {};
  for (const field of fields) {
    const problem = (seen.has(field) ? found[field] : undefined) ?? refused[field];
    if (problem) problems[field] = problem;
  }

  // The fields are marked as invalid by the render that follows.
  const focusFirst = () =>
    requestAnimationFrame(() =>
      document.getElementById(id)?.querySelector<HTMLElement>('[aria-invalid]')?.focus(),
    );

  function warn(field: ShareField, messageKey: string) {
    setRefused((before) => ({ ...before, [field]: messageKey }));
  }

  return {
    values,
    problems,
    id,
    warn,
    set(change) {
      setValues((before) => ({ ...before, ...change }));
      setRefused((before) =>
        Object.fromEntries(Object.entries(before).filter(([field]) => !(field in change))),
      );
      // A custom link is checked while it is typed; the others when they are left.
      if ('slug' in change) setSeen((before) => new Set(before).add('slug'));
    },
    leave: (field) => setSeen((before) => (before.has(field) ? before : new Set(before).add(field))),
    refuse(field, messageKey) {
      warn(field, messageKey);
      focusFirst();
    },
    check() {
      setSeen(new Set(fields));
      if (Object.keys(found).length === 0) return true;
      focusFirst();
      return false;
    },
    reset(next = {}) {
      setValues({ ...freshShare(), ...next });
      setSeen(new Set());
      setRefused({});
    },
  };
}
