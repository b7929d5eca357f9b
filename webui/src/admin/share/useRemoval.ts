import { Trash2, type LucideIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useDeleteMany, useResourceContext, useUnselectAll } from 'react-admin';
import { errorText } from '../../api/errorText';
import { hasMessage, useT, type Translate } from '../../i18n';
import { tellError } from '../../shared/offline/tellError';
import { confirm, toast } from '../../shared/ui';
import { NotAll, type Meta } from '../data/source';
import type { BulkOutcome, Failed } from './BulkResult';

/** A row as far as deleting it goes. */
export interface Named {
  id: string;
  name: string;
}

/** How a list deletes rows, where that is not the usual way. */
interface Ways {
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

/**
 * useRemoval deletes rows of a list after a question, and reports those that stay. Its messages are those of the
 * resource, `words`: `deleteMany`, `deleted` and, where the catalogue has them, `deleteOne` for a single row and
 * `deleteBody`.
 */
export function useRemoval(words: string, { verb, icon = Trash2, wayOut }: Ways = {}) {
  const t = useT();
  const label = verb ?? t('common.delete');
  const usual = hasMessage(`${words}.deleteBody`) ? t(`${words}.deleteBody`) : undefined;
  const resource = useResourceContext();
  const [deleteMany] = useDeleteMany<Named>(resource);
  const unselect = useUnselectAll(resource);
  const [outcome, setOutcome] = useState<BulkOutcome>();

  /** remove asks with another `body` where one row has its own, and hands `meta` on as it is after the question. */
  const remove = (rows: readonly Named[], { body = usual, meta }: { body?: ReactNode; meta?: Meta } = {}) =>
    void confirm({
      title:
        rows.length === 1 && hasMessage(`${words}.deleteOne`)
          ? t(`${words}.deleteOne`, { name: rows[0]?.name ?? '' })
          : t(`${words}.deleteMany`, rows.length),
      body,
      confirmLabel: label,
      danger: true,
      run: async () => {
        const ids = rows.map((row) => row.id);
        let done = ids.length;
        try {
          await deleteMany(resource, { ids, meta }, { returnPromise: true });
        } catch (error) {
          done = error instanceof NotAll ? error.done : 0;
          if (!(error instanceof NotAll)) tellError(error, t);
          else if (error.failed.length > 0) setOutcome(outcomeOf(error, rows, t, wayOut));
          if (error instanceof NotAll && error.queued > 0) toast.info(t('errors.http.queued'));
        }
        if (done > 0) toast.success(t(`${words}.deleted`, done));
        unselect();
      },
    });

  return { remove, verb: label, icon, outcome, closeOutcome: () => setOutcome(undefined) };
}

/** Removal is what a list needs to delete rows, most of it from useRemoval. */
export interface Removal<R = unknown> {
  remove: (rows: readonly (Named & { row?: R | undefined })[]) => void;
  verb: string;
  icon: LucideIcon;
  outcome: BulkOutcome | undefined;
  closeOutcome: () => void;
}
