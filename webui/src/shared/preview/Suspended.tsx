import { Suspense, type ReactNode } from 'react';
import { Skeleton } from '../ui';

interface SuspendedProps {
  /** height in px of what is coming, roughly. */
  height?: number;
  /** className gives the place the size of what is coming, where that is known. */
  className?: string | undefined;
  children: ReactNode;
}

/** Suspended keeps the place of a preview whose code is on its way. */
export function Suspended({ height = 320, className, children }: SuspendedProps) {
  const place = <Skeleton height={height} />;
  return (
    <Suspense fallback={className ? <div className={className}>{place}</div> : place}>{children}</Suspense>
  );
}
