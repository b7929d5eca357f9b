import { pageKeys, type Key } from '../../api/admin/keys';
import { policyOverview } from '../../api/admin/operations';
import { listDrivers } from '../../api/admin/storage';
import { listFailed, readAbout, readCaches, readStats } from '../../api/admin/system';
import { listTexts, type ListQuery } from '../../api/admin/texts';

/** How many of the newest keys are looked at, the most of one call, and how many of those that end next. */
const mostKeys = 1000;
const mostEnding = 50;
/** How many failed jobs are named; the others are counted. */
const jobsShown = 3;

const someKeys = (
  query: Pick<ListQuery, 'limit' | 'sort' | 'order' | 'state'>,
  signal: AbortSignal,
): Promise<Key[]> =>
  pageKeys({ ...query, offset: 0 }, signal).then(
    ({ data }) => data,
    () => [],
  );

/** readAll reads everything of the dashboard together. Only the numbers themselves are needed to show it. */
export async function readAll(signal: AbortSignal) {
  const [stats, caches, about, newKeys, endingKeys, expired, failed, drivers, rules] = await Promise.all([
    readStats(signal),
    readCaches(signal),
    readAbout(signal),
    someKeys({ limit: mostKeys, sort: 'created_at', order: 'desc' }, signal),
    someKeys({ limit: mostEnding, sort: 'expires_at', order: 'asc', state: 'active' }, signal),
    listTexts({ limit: 1, offset: 0, state: 'expired' }, signal).then(
      ({ pagination }) => pagination.total,
      () => 0,
    ),
    listFailed(jobsShown, signal).catch(() => ({ jobs: [], total: 0 })),
    listDrivers(signal).catch(() => []),
    policyOverview(signal).catch(() => undefined),
  ]);
  return { stats, caches, about, newKeys, endingKeys, expired, failed, drivers, rules, at: new Date() };
}

/** Overview is what the dashboard shows. */
export type Overview = Awaited<ReturnType<typeof readAll>>;
