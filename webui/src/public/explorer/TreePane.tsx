import { useLocation } from 'wouter';
import { useT } from '../../i18n';
import { FolderTree } from '../../shared/foldertree';
import { dropTarget } from './drag';
import styles from './explorer.module.css';
import { hrefOf } from './place';

/** TreePane is the tree of folders beside a listing; entries are moved by dropping them on it. */
export function TreePane({ path, base }: { path: string; base: string }) {
  const t = useT();
  const [, go] = useLocation();
  return (
    <nav className={styles.treePane} aria-label={t('explorer.panes.tree')}>
      <FolderTree
        label={t('explorer.panes.tree')}
        rootName={t('explorer.root')}
        root={base}
        chosen={path}
        onChoose={(folder) => go(hrefOf(folder))}
        dropOn={(folder, virtual) => (virtual ? undefined : dropTarget(folder))}
      />
    </nav>
  );
}
