import { Redirect } from 'wouter';
import { isOpen, useSession } from '../auth/session';
import { pages } from '../pages';
import { Skeleton } from '../shared/ui';
import { lazyView } from '../shared/view/View';
import { SignIn } from './SignIn';

// React-admin comes only when somebody is signed in.
const Panel = lazyView(() => import('./Panel'), 'admin');

/** Admin is everything under /admin: the sign-in in place, or the panel for those who may enter it (§5). */
export default function Admin() {
  const session = useSession();
  const out = session.kind === 'apikey' && !session.checking && !isOpen(pages.admin, session);
  if (out) return <Redirect to="/" replace />;
  if (session.kind === 'none') return <SignIn />;
  if (!isOpen(pages.admin, session)) return <Skeleton lines={6} />;
  return <Panel />;
}
