import { pageKeys, type Key } from '../../api/admin/keys';
import { policyOverview, sharedItems } from '../../api/admin/operations';
import { listDrivers } from '../../api/admin/storage';
import { listFailed, readAbout, readCaches, readStats } from '../../api/admin/system';
import { listTexts, type ListQuery } from '../../api/admin/texts';
import type { Span } from './figures';

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

/** How many shares are named of each kind. */
const sharesShown = 5;
/** How many days ahead is soon. */
export const soon = 7;

/** readShares reads what is shared: how much, what is opened most, what ends soon, and what nobody looks after. */
async function readShares(signal: AbortSignal) {
  const [viewed, ending, never, unused] = await Promise.all([
    sharedItems({ sort: 'views', order: 'desc', limit: sharesShown }, signal),
    sharedItems({ ends_days: soon, sort: 'expires_at', order: 'asc', limit: sharesShown }, signal),
    sharedItems({ never_expires: 1, limit: 1 }, signal),
    sharedItems({ unused: 1, limit: 1 }, signal),
  ]);
  return {
    total: viewed.total,
    never: never.total,
    unused: unused.total,
    viewed: viewed.shares.filter(({ views }) => views > 0),
    ending: ending.shares,
    endingTotal: ending.total,
  };
}

/** readAll reads everything of the dashboard together. Only the numbers themselves are needed to show it. */
export async function readAll(span: Span, signal: AbortSignal) {
  const [stats, shares, caches, about, newKeys, endingKeys, expired, failed, drivers, rules] =
    await Promise.all([
      readStats(span, signal),
      readShares(signal).catch(() => undefined),
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
  return {
    span,
    stats,
    shares,
    caches,
    about,
    newKeys,
    endingKeys,
    expired,
    failed,
    drivers,
    rules,
    at: new Date(),
  };
}

/** Overview is what the dashboard shows. */
export type Overview = Awaited<ReturnType<typeof readAll>>;
