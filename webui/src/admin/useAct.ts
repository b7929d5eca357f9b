import { useState, type ReactNode } from 'react';
import { useNotify } from 'react-admin';
import { hasMessage, useT, type Translate } from '../i18n';
import type { Values } from '../i18n/phrases';
import { tellError } from '../shared/offline/tellError';
import { confirm } from '../shared/ui';

/** Said is what is told once something is done, or what tells it of the result; nothing where that is undefined. */
type Said<T> = string | ((result: T) => string | undefined);

/** What of a question is not in the catalogue under its name. */
interface Question {
  /** values fill its texts. */
  values?: number | Values;
  body?: ReactNode;
  confirmLabel?: string;
  danger?: boolean;
}

interface Asked<T> extends Question {
  run: () => Promise<T>;
  done?: Said<T>;
  /** closes takes the question away before the work begins, which may ask for the password. */
  closes?: boolean;
}

/**
 * questionOf is the question before something is done. Its texts are messages: `${words}Title`, `${words}Body` where
 * the catalogue has it, and `words` itself on the button.
 */
export const questionOf = (t: Translate, words: string, { values, ...more }: Question = {}) => ({
  title: t(`${words}Title`, values),
  body: hasMessage(`${words}Body`) ? t(`${words}Body`, values) : undefined,
  ...more,
  confirmLabel: more.confirmLabel ?? t(words),
});

/** useAct does what controls are for, and says in passing what came of it; `busy` is whether something is under way. */
export function useAct() {
  const t = useT();
  const notify = useNotify();
  const [busy, setBusy] = useState(false);

  /** perform does something; it reports neither what came of it nor a failure to the caller. */
  async function perform<T>(run: () => T | Promise<T>, done?: Said<T>) {
    setBusy(true);
    try {
      const result = await run();
      const text = typeof done === 'function' ? done(result) : done;
      if (text) notify(text, { type: 'success' });
    } catch (error) {
      tellError(error, t);
    } finally {
      setBusy(false);
    }
  }

  /** ask does something that is agreed to, see questionOf. */
  async function ask<T>(words: string, { run, done, closes = false, ...more }: Asked<T>) {
    const question = questionOf(t, words, more);
    if (!closes) await confirm({ ...question, run: () => perform(run, done) });
    else if (await confirm(question)) await perform(run, done);
  }

  const act = <T>(run: () => T | Promise<T>, done?: Said<T>) => void perform(run, done);
  return { busy, act, perform, ask };
}
