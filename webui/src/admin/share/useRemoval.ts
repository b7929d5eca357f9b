import { Trash2, type LucideIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useDeleteMany, useResourceContext, useUnselectAll } from 'react-admin';
import { errorText } from '../../api/errorText';
import { useT, type Translate } from '../../i18n';
import { tellError } from '../../shared/offline/tellError';
import { confirm, toast } from '../../shared/ui';
import { NotAll, type Meta } from '../data/source';
import type { BulkOutcome, Failed } from './BulkResult';

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
  body?: ReactNode;
  done: (count: number) => string;
  wayOut?: WayOut;
  /** verb is what it is called, and the icon beside it; "Delete" unless given. */
  verb?: string;
  icon?: LucideIcon;
}

/** WayOut tells where to go on from a failure. */
type WayOut = (id: string, error: unknown) => Failed['wayOut'];

/** outcomeOf says of an action on many rows which of them it failed for, by their names. */
export const outcomeOf = (
  { done, queued, failed }: NotAll,
  rows: readonly Named[],
  t: Translate,
  wayOut: WayOut = () => undefined,
): BulkOutcome => ({
  done,
  queued,
  failed: failed.map(({ id, error }) => {
    const way = wayOut(id, error);
    const name = rows.find((row) => row.id === id)?.name ?? id;
    return { name, error: errorText(error, t), ...(way && { wayOut: way }) };
  }),
});

/** useRemoval deletes rows of a list after a question, and reports those that stay. */
export function useRemoval(words: Words) {
  const t = useT();
  const { verb = t('common.delete'), icon = Trash2 } = words;
  const resource = useResourceContext();
  const [deleteMany] = useDeleteMany<Named>(resource);
  const unselect = useUnselectAll(resource);
  const [outcome, setOutcome] = useState<BulkOutcome>();

  /** remove asks with another `body` where one row has its own, and hands `meta` on as it is after the question. */
  const remove = (
    rows: readonly Named[],
    { body = words.body, meta }: { body?: ReactNode; meta?: Meta } = {},
  ) =>
    void confirm({
      title: words.one && rows.length === 1 ? words.one(rows[0]?.name ?? '') : words.many(rows.length),
      body,
      confirmLabel: verb,
      danger: true,
      run: async () => {
        const ids = rows.map((row) => row.id);
        let done = ids.length;
        try {
          await deleteMany(resource, { ids, meta }, { returnPromise: true });
        } catch (error) {
          done = error instanceof NotAll ? error.done : 0;
          if (!(error instanceof NotAll)) tellError(error, t);
          else if (error.failed.length > 0) setOutcome(outcomeOf(error, rows, t, words.wayOut));
          if (error instanceof NotAll && error.queued > 0) toast.info(t('errors.http.queued'));
        }
        if (done > 0) toast.success(words.done(done));
        unselect();
      },
    });

  return { remove, verb, icon, outcome, closeOutcome: () => setOutcome(undefined) };
}

/** Removal is what a list needs to delete rows, most of it from useRemoval. */
export interface Removal<R = unknown> {
  remove: (rows: readonly (Named & { row?: R | undefined })[]) => void;
  verb: string;
  icon: LucideIcon;
  outcome: BulkOutcome | undefined;
  closeOutcome: () => void;
}
