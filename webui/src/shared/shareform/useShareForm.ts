import { useState } from 'react';
import { freshShare, shareProblems, type ShareField, type ShareProblems, type ShareValues } from './values';

/** ShareFormState is the form's values with what is wrong with them. */
export interface ShareFormState {
  values: ShareValues;
  /** problems to show now: of fields that were left once, and what the server refused. */
  problems: ShareProblems;
  /** asked counts the times the form was to be sent and something was wrong. */
  asked: number;
  set(change: Partial<ShareValues>): void;
  /** leave marks a field as seen, so that its problem is shown. */
  leave(field: ShareField): void;
  /** warn shows what the server said about a field, until the field changes. */
  warn(field: ShareField, messageKey: string): void;
  /** refuse does the same and leads there, after a share was refused. */
  refuse(field: ShareField, messageKey: string): void;
  /** check shows every problem, leads to them, and says whether the form may be sent. */
  check(): boolean;
  /** lead leads to what is wrong in the form and in what is sent with it. */
  lead(): void;
  reset(values?: Partial<ShareValues>): void;
}

export function useShareForm(initial: Partial<ShareValues> = {}): ShareFormState {
  const [values, setValues] = useState<ShareValues>(() => ({ ...freshShare(), ...initial }));
  const [seen, setSeen] = useState<ReadonlySet<ShareField>>(new Set());
  const [refused, setRefused] = useState<ShareProblems>({});
  const [asked, setAsked] = useState(0);

  const found = shareProblems(values, new Date());
  const fields = Object.keys(values) as ShareField[];
  const problems: ShareProblems = {};
  for (const field of fields) {
    const problem = (seen.has(field) ? found[field] : undefined) ?? refused[field];
    if (problem) problems[field] = problem;
  }

  const lead = () => setAsked((before) => before + 1);

  function warn(field: ShareField, messageKey: string) {
    setRefused((before) => ({ ...before, [field]: messageKey }));
  }

  return {
    values,
    problems,
    asked,
    lead,
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
      lead();
    },
    check() {
      setSeen(new Set(fields));
      if (Object.keys(found).length === 0) return true;
      lead();
      return false;
    },
    reset(next = {}) {
      setValues({ ...freshShare(), ...next });
      setSeen(new Set());
      setRefused({});
    },
  };
}
