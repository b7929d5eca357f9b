import { useState } from 'react';
import { useRefresh, useUnselectAll } from 'react-admin';
import { useT } from '../../i18n';
import { confirm, toast } from '../../shared/ui';
import type { BulkOutcome, Failed } from './BulkResult';
import { eachOf } from './eachOf';

/** A row as far as deleting it goes. */
export interface Named {
  id: string;
  name: string;
}

/** What the list says while rows are deleted. */
interface Words {
  /** one is the question for a single row; without it that is asked as for many. */
  one?: (name: string) => string;
  many: (count: number) => string;
  body: string;
  done: (count: number) => string;
  /** wayOut tells where to go on from a failure. */
  wayOut?: (id: string, error: unknown) => Failed['wayOut'];
}

/** useRemoval deletes rows of a panel's list after a question, each by itself, and reports those that stay. */
export function useRemoval(resource: string, run: (id: string) => Promise<unknown>, words: Words) {
  const t = useT();
  const refresh = useRefresh();
  const unselect = useUnselectAll(resource);
  const [outcome, setOutcome] = useState<BulkOutcome>();

  const remove = (rows: readonly Named[]) =>
    void confirm({
      title: words.one && rows.length === 1 ? words.one(rows[0]?.name ?? '') : words.many(rows.length),
      body: words.body,
      confirmLabel: t('common.delete'),
      danger: true,
      run: async () => {
        const result = await eachOf(rows, run, t, words.wayOut);
        if (result.done > 0) toast.success(words.done(result.done));
        if (result.queued) toast.info(t('errors.http.queued'));
        if (result.failed.length > 0) setOutcome(result);
        unselect();
        refresh();
      },
    });

  return { remove, outcome, closeOutcome: () => setOutcome(undefined) };
}
