import { lazy, Suspense, type ReactNode } from 'react';
import type { Page } from '../pages';
import { Skeleton } from '../shared/ui/Skeleton';
import { isOpen, useSession } from './session';

// Most who come may come in.
const Gate = lazy(() => import('./Gate').then((module) => ({ default: module.Gate })));

interface RequireAccessProps {
  page: Page;
  children: ReactNode;
}

/** RequireAccess shows a page to those who may use it, and the sign-in card to others. */
export function RequireAccess({ page, children }: RequireAccessProps) {
  const now = useSession();

  if (isOpen(page, now)) return children;
  // The rights of a restored key may have grown since; nobody is turned away on old news.
  const waiting = <Skeleton lines={4} />;
  return now.checking ? (
    waiting
  ) : (
    <Suspense fallback={waiting}>
      <Gate need={page.guard ?? 'text'} />
    </Suspense>
  );
}
