import { FileText, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { rawPasteUrl } from '../../api/pastes';
import { useLanguage, useT } from '../../i18n';
import { parseTime } from '../../shared/format';
import { limitsText } from '../../shared/shareform';
import { ShareLink } from '../../shared/shareform/ShareLink';
import type { Telling } from '../../shared/shareform/TellMe';
import { Button, CopyButton, IconButton } from '../../shared/ui';
import { Address } from '../../shared/ui/Address';
import styles from './ShareBox.module.css';
import type { MadeShare } from './shares';

interface ShareBoxProps {
  share: MadeShare;
  /** copied says that the link is on the clipboard already. */
  copied: boolean;
  /** telling is whether its owner is told when it is opened, as was chosen before it was made. */
  telling: Omit<Telling, 'id'>;
  onNew: () => void;
  onKeepEditing: () => void;
  onClose: () => void;
}

/** ShareBox shows the link of a share that was just made; it stays until it is closed. */
export default function ShareBox({ share, copied, telling, onNew, onKeepEditing, onClose }: ShareBoxProps) {
  const t = useT();
  const language = useLanguage();
  const field = useRef<HTMLInputElement>(null);
  const raw = rawPasteUrl(share.slug, share.password);

  useEffect(() => {
    field.current?.focus({ preventScroll: true });
    field.current?.select();
    field.current?.closest('section')?.scrollIntoView({ block: 'nearest' });
  }, [share.slug]);

  const limits = limitsText(
    {
      maxViews: share.maxViews,
      expiresAt: share.expiresAt ? parseTime(share.expiresAt) : null,
      hasPassword: share.hasPassword,
    },
    t,
    language,
  );

  return (
    <section className={styles.box} aria-labelledby="pp-share-title">
      <header className={styles.header}>
        <h2 id="pp-share-title">{t('shareBox.title')}</h2>
        <IconButton label={t('shareBox.close')} onClick={onClose}>
          <X size={20} />
        </IconButton>
      </header>
      <ShareLink
        path={`/paste/${share.slug}`}
        limits={limits}
        password={share.password}
        copied={copied}
        field={field}
        telling={share.id ? { id: share.id, ...telling } : undefined}
      />
      <details className={styles.raw}>
        <summary>
          <FileText size={18} /> {t('shareBox.raw')}
        </summary>
        {share.password && <p className={styles.caution}>{t('shareBox.rawCaution')}</p>}
        <div className={styles.rawRow}>
          <code>
            <Address link={raw} />
          </code>
          <CopyButton variant="quiet" text={raw} label={t('shareBox.copyRaw')} />
        </div>
        <p className={styles.curl}>
          {t('shareBox.curl')}{' '}
          <code>
            curl &apos;
            <Address link={raw} />
            &apos;
          </code>
        </p>
      </details>
      <div className={styles.next}>
        <Button variant="quiet" onClick={onKeepEditing}>
          {t('shareBox.keepEditing')}
        </Button>
        <Button onClick={onNew}>{t('shareBox.another')}</Button>
      </div>
    </section>
  );
}
