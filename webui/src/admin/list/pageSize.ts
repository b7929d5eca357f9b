import { readStored, writeStored } from '../../config';

const key = 'pp.admin.pageSize';

/** pageSizes are the choices of rows per page; the first list of a device has 20. */
export const pageSizes = [10, 20, 30, 50, 100];

export function pageSize(): number {
  const stored = Number(readStored(key));
  return pageSizes.includes(stored) ? stored : 20;
}

export const keepPageSize = (size: number) => writeStored(key, String(size));
