import { Redirect } from 'wouter';
import { within } from '../../auth/permissions';
import { useSession } from '../../auth/session';
import { useMedia } from '../../hooks/useMedia';
import styles from './explorer.module.css';
import { FolderPage } from './FolderPage';
import { cleanPath, hrefOf, usePlace } from './place';
import { roomForPanes, useTaste } from './taste';
import { TreePane } from './TreePane';

/** Explorer is the folder of the address; a key that asks for what is not its own is led to its own (§5). */
export function Explorer() {
  const place = usePlace();
  const session = useSession();
  const { tree } = useTaste();
  const wide = useMedia(roomForPanes);
  const base = cleanPath(session.basicPath);

  if (session.kind === 'apikey' && !within(base, place.path)) return <Redirect to={hrefOf(base)} replace />;
  return (
    <div className={styles.panes}>
      {wide && tree && !place.preview && <TreePane path={place.path} base={base} />}
      <div className={styles.main}>
        <FolderPage key={place.path} place={place} base={base} />
      </div>
    </div>
  );
}
