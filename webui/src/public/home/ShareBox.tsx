import { ExternalLink, FileText, QrCode, Share2, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { rawPasteUrl } from '../../api/pastes';
import { pageUrl } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { parseTime } from '../../shared/format';
import { limitsText } from '../../shared/shareform';
import { Button, buttonClass, CopyButton, IconButton, QrDialog } from '../../shared/ui';
import styles from './ShareBox.module.css';
import type { MadeShare } from './shares';

interface ShareBoxProps {
  share: MadeShare;
  /** copied says that the link is on the clipboard already. */
  copied: boolean;
  onNew: () => void;
  onKeepEditing: () => void;
  onClose: () => void;
}

/** ShareBox shows the link of a share that was just made; it stays until it is closed. */
export default function ShareBox({ share, copied, onNew, onKeepEditing, onClose }: ShareBoxProps) {
  const t = useT();
  const language = useLanguage();
  const [qr, setQr] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const link = pageUrl(`/paste/${share.slug}`);
  const raw = rawPasteUrl(share.slug, share.password);

  useEffect(() => {
    field.current?.focus({ preventScroll: true });
    field.current?.select();
    field.current?.closest('section')?.scrollIntoView({ block: 'nearest' });
  }, [link]);

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
          <X size={20} aria-hidden="true" />
        </IconButton>
      </header>
      <div className={styles.linkRow}>
        <input
          ref={field}
          className={styles.link}
          readOnly
          value={link}
          aria-label={t('shareBox.link')}
          onFocus={(event) => event.target.select()}
        />
        <CopyButton variant="primary" text={link} label={t('shareBox.copy')} selects={field} />
      </div>
      <p className={styles.limits}>
        {limits} <span role="status">{copied ? t('shareBox.autoCopied') : ''}</span>
      </p>
      <div className={styles.actions}>
        {share.password && (
          <CopyButton
            text={t('shareBox.linkAndPassword', { link, password: share.password })}
            label={t('shareBox.copyBoth')}
          />
        )}
        <Button icon={<QrCode size={18} aria-hidden="true" />} onClick={() => setQr(true)}>
          {t('shareBox.qr')}
        </Button>
        <Link href={`/paste/${share.slug}`} className={buttonClass()}>
          <ExternalLink size={18} aria-hidden="true" />
          {t('shareBox.open')}
        </Link>
        {typeof navigator.share === 'function' && (
          <Button
            icon={<Share2 size={18} aria-hidden="true" />}
            onClick={() => void navigator.share({ url: link }).catch(() => undefined)}
          >
            {t('shareBox.native')}
          </Button>
        )}
      </div>
      <details className={styles.raw}>
        <summary>
          <FileText size={18} aria-hidden="true" /> {t('shareBox.raw')}
        </summary>
        {share.password && <p className={styles.caution}>{t('shareBox.rawCaution')}</p>}
        <div className={styles.rawRow}>
          <code>{raw}</code>
          <CopyButton variant="quiet" text={raw} label={t('shareBox.copyRaw')} />
        </div>
        <p className={styles.curl}>
          {t('shareBox.curl')} <code>curl &apos;{raw}&apos;</code>
        </p>
      </details>
      <div className={styles.next}>
        <Button variant="quiet" onClick={onKeepEditing}>
          {t('shareBox.keepEditing')}
        </Button>
        <Button onClick={onNew}>{t('shareBox.another')}</Button>
      </div>
      {qr && <QrDialog link={link} fileName={`paste-${share.slug}`} onClose={() => setQr(false)} />}
    </section>
  );
}
