import { Redirect } from 'wouter';
import { within } from '../../auth/permissions';
import { useSession } from '../../auth/session';
import { FolderPage } from './FolderPage';
import { cleanPath, hrefOf, usePlace } from './place';

/** Explorer is the folder of the address; a key that asks for what is not its own is led to its own (§5). */
export function Explorer() {
  const place = usePlace();
  const session = useSession();
  const base = cleanPath(session.basicPath);
  const outside = session.kind === 'apikey' && !within(base, place.path);

  if (outside) return <Redirect to={hrefOf(base)} replace />;
  return <FolderPage key={place.path} place={place} base={base} />;
}
