import { useState } from 'react';
import { ApiError } from '../../api/client';
import { keepAll, termChanges, termProblems, type TermChanges, type Terms, type TermValues } from './changes';
import type { ShareField, ShareProblems } from './values';

/** useTerms holds the edit form of a share: what was typed and what is wrong with it. */
export function useTerms(terms: Terms) {
  const [values, setValues] = useState(() => keepAll(terms));
  const [tried, setTried] = useState(false);
  const [refused, setRefused] = useState<ShareProblems>({});
  const [asked, setAsked] = useState(0);
  const found = termProblems(values, terms, new Date());

  const lead = () => setAsked((before) => before + 1);

  return {
    values,
    dirty: Object.keys(termChanges(values, terms, new Date(0))).length > 0,
    changes: (): TermChanges => termChanges(values, terms, new Date()),
    /** check shows every problem, leads to them, and says whether the form may be sent. */
    check(): boolean {
      setTried(true);
      if (Object.keys(found).length === 0) return true;
      lead();
      return false;
    },
    /** lead leads to what is wrong in the form and in what is saved with it. */
    lead,
    /** refuse shows what the server said about a field, until the field changes. */
    refuse(field: ShareField, messageKey: string) {
      setRefused({ [field]: messageKey });
      lead();
    },
    form: {
      asked,
      terms,
      values,
      problems: { ...refused, ...(tried && found) },
      onChange(change: Partial<TermValues>) {
        setValues((before) => ({ ...before, ...change }));
        setRefused({});
      },
    },
  };
}

/** slugProblem is the message key of what the server said about a custom link; undefined when it said something else. */
export function slugProblem(error: unknown): string | undefined {
  const code = error instanceof ApiError ? error.code : '';
  const key = { slug_reserved: 'slugReserved', slug_invalid: 'slugRule', slug_taken: 'slugTaken' }[code];
  return key && `share.errors.${key}`;
}
