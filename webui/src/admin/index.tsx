import { lazy, Suspense, useEffect } from 'react';
import { useLocation } from 'wouter';
import { mayEnter, useSession } from '../auth/session';
import { ensureFresh } from '../auth/validity';
import { loadAreas } from '../i18n';
import { Skeleton } from '../shared/ui';
import { SignIn } from './SignIn';

// React-admin comes only when somebody is signed in. What failed to load is asked for anew at the next attempt.
const load = async () => {
  try {
    return (await Promise.all([import('./Panel'), loadAreas('admin')]))[0];
  } catch (error) {
    Panel = lazy(load);
    throw error;
  }
};
let Panel = lazy(load);

/** Admin is everything under /admin: the sign-in in place, or the panel for those who may enter it (§5). */
export default function Admin() {
  const session = useSession();
  const [, navigate] = useLocation();
  const out = session.kind === 'apikey' && !session.checking && !mayEnter(session);
  useEffect(() => void ensureFresh(), []);
  useEffect(() => {
    if (out) navigate('/', { replace: true });
  }, [out, navigate]);
  if (session.kind === 'none') return <SignIn />;
  if (!mayEnter(session)) return <Skeleton lines={6} />;
  return (
    <Suspense fallback={<Skeleton lines={8} />}>
      <Panel />
    </Suspense>
  );
}
