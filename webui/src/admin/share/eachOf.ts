import { isQueued } from '../../api/errors';
import { errorText } from '../../api/errorText';
import type { Translate } from '../../i18n';
import type { BulkOutcome, Failed } from './BulkResult';

/** eachOf does something for many rows, a few at a time, and notes what failed and why. */
export async function eachOf(
  rows: readonly { id: string; name: string }[],
  run: (id: string) => Promise<unknown>,
  t: Translate,
  /** wayOut tells where to go on from a failure. */
  wayOut: (id: string, error: unknown) => Failed['wayOut'] = () => undefined,
): Promise<BulkOutcome> {
  const failed: Failed[] = [];
  let queued = 0;
  const waiting = [...rows];
  const worker = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      try {
        await run(row.id);
      } catch (error) {
        if (isQueued(error)) queued++;
        else {
          const way = wayOut(row.id, error);
          failed.push({ name: row.name, error: errorText(error, t), ...(way && { wayOut: way }) });
        }
      }
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return { done: rows.length - failed.length - queued, queued, failed };
}
