import type { Translate } from '../../i18n';
import { errorText } from '../../shared/errorText';
import type { BulkOutcome } from './BulkResult';

/** eachOf does something for many rows, a few at a time, and notes what failed and why. */
export async function eachOf(
  rows: readonly { id: string; name: string }[],
  run: (id: string) => Promise<unknown>,
  t: Translate,
): Promise<BulkOutcome> {
  const failed: { name: string; error: string }[] = [];
  const waiting = [...rows];
  const worker = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      try {
        await run(row.id);
      } catch (error) {
        failed.push({ name: row.name, error: errorText(error, t) });
      }
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return { done: rows.length - failed.length, failed };
}
