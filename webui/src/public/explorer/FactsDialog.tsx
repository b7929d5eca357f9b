import type { Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatNumber, formatSize } from '../../shared/format';
import { CopyButton, Dialog, Time } from '../../shared/ui';
import styles from './explorer.module.css';
import { cleanPath } from './place';

/** FactsDialog tells all that is known of an entry. */
export default function FactsDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const t = useT();
  const language = useLanguage();
  const kind = entry.isMount ? 'mount' : entry.isDirectory ? 'folder' : 'file';
  return (
    <Dialog title={entry.name} onClose={onClose}>
      <dl className={styles.factList}>
        <dt>{t('explorer.facts.path')}</dt>
        <dd>
          <code>{cleanPath(entry.path)}</code>
          <CopyButton iconOnly text={cleanPath(entry.path)} label={t('explorer.menu.path')} />
        </dd>
        <dt>{t('explorer.facts.kind')}</dt>
        <dd>{t(`explorer.facts.kinds.${kind}`)}</dd>
        {typeof entry.size === 'number' && (
          <>
            <dt>{t('explorer.list.size')}</dt>
            <dd>
              {t('explorer.facts.bytes', {
                size: formatSize(entry.size, language),
                bytes: formatNumber(entry.size, language),
              })}
            </dd>
          </>
        )}
        {entry.modified && (
          <>
            <dt>{t('explorer.list.modified')}</dt>
            <dd>
              <Time value={entry.modified} />
            </dd>
          </>
        )}
        {entry.etag && (
          <>
            <dt>{t('explorer.facts.etag')}</dt>
            <dd>
              <code>{entry.etag}</code>
            </dd>
          </>
        )}
      </dl>
    </Dialog>
  );
}
