/** Shares of the capacity, in percent, from which a storage is pointed out. */
const highFrom = 75;
const fullFrom = 90;

/** How full a storage is; undefined where it has no limit. */
export const percentOf = (used: number, total: number): number | undefined =>
  total > 0 ? Math.min(100, Math.round((100 * used) / total)) : undefined;

export const levelOf = (percent: number | undefined): 'fine' | 'high' | 'full' =>
  percent === undefined || percent < highFrom ? 'fine' : percent < fullFrom ? 'high' : 'full';
