import { Trash2, type LucideIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useDeleteMany, useNotify, useResourceContext, useUnselectAll } from 'react-admin';
import { errorText } from '../../api/errorText';
import { hasMessage, useT, type Translate } from '../../i18n';
import { tellError } from '../../shared/offline/tellError';
import { confirm } from '../../shared/ui';
import { NotAll, type Meta } from '../data/source';
import type { BulkOutcome, Failed } from './BulkResult';

/** A row as far as deleting it goes. */
export interface Named {
  id: string;
  name: string;
}

/** A row that is chosen; of one on another page only the id is known. */
export interface Chosen<R> extends Named {
  row?: R | undefined;
}

/** How a list deletes rows, where that is not the usual way. */
export interface Ways<R> {
  wayOut?: WayOut;
  /** verb is what it is called, and the icon beside it; "Delete" unless given. */
  verb?: string;
  icon?: LucideIcon;
  /** may says which rows can be deleted by themselves; all, unless it is given. */
  may?: (row: R) => boolean;
  /** asks is what the question says of these rows, and what was answered, which is asked for after a yes. */
  asks?: (rows: readonly Chosen<R>[]) => Asked | Promise<Asked>;
}

interface Asked {
  body?: ReactNode;
  meta?: () => Meta;
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
export function useRemoval<R>(words: string, { verb, icon = Trash2, wayOut, asks }: Ways<R> = {}) {
  const t = useT();
  const notify = useNotify();
  const label = verb ?? t('common.delete');
  const usual = hasMessage(`${words}.deleteBody`) ? t(`${words}.deleteBody`) : undefined;
  const resource = useResourceContext();
  const [deleteMany] = useDeleteMany<Named>(resource);
  const unselect = useUnselectAll(resource);
  const [outcome, setOutcome] = useState<BulkOutcome>();

  async function remove(rows: readonly Chosen<R>[]) {
    const { body = usual, meta } = (await asks?.(rows)) ?? {};
    await confirm({
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
          await deleteMany(resource, { ids, meta: meta?.() }, { returnPromise: true });
        } catch (error) {
          done = error instanceof NotAll ? error.done : 0;
          if (!(error instanceof NotAll)) tellError(error, t);
          else if (error.failed.length > 0) setOutcome(outcomeOf(error, rows, t, wayOut));
          if (error instanceof NotAll && error.queued > 0) notify(t('errors.http.queued'));
        }
        if (done > 0) notify(t(`${words}.deleted`, done), { type: 'success' });
        unselect();
      },
    });
  }

  return { remove, verb: label, icon, outcome, closeOutcome: () => setOutcome(undefined) };
}

/** Removal is what a list needs to delete rows. */
export type Removal<R> = ReturnType<typeof useRemoval<R>>;
