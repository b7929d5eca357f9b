import { Suspense, type ReactNode } from 'react';
import { Skeleton } from '../ui';

/** Suspended keeps the place of a preview whose code is on its way. */
export function Suspended({ height = 320, children }: { height?: number; children: ReactNode }) {
  return <Suspense fallback={<Skeleton height={height} />}>{children}</Suspense>;
}
