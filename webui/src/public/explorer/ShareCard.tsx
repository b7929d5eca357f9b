import { ExternalLink, Link2Off, Pencil, QrCode, Share2 } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { deleteFiles, fileDownloadUrl } from '../../api/files';
import type { Mark } from '../../api/fs';
import { pageUrl } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { errorText } from '../../shared/errorText';
import { parseTime } from '../../shared/format';
import { lazyPart } from '../../shared/lazyPart';
import { limitsText } from '../../shared/shareform';
import { Button, buttonClass, confirm, CopyButton, inputClass, QrDialog, toast } from '../../shared/ui';
import styles from './share.module.css';

const EditFile = lazyPart(() => import('../../shared/shareform/EditFile'), 'shareEdit', 'share');

interface ShareCardProps {
  mark: Mark;
  /** password is known right after the share was made. */
  password?: string;
  /** copied says that the link is on the clipboard already. */
  copied?: boolean;
  /** focused puts the focus into the link. */
  focused?: boolean;
  /** onChanged is told what the share has become; undefined after it was ended. */
  onChanged: (mark: Mark | undefined) => void;
}

/** ShareCard is the link of one share of a file, with all that can be done with it. */
export function ShareCard({ mark, password = '', copied, focused, onChanged }: ShareCardProps) {
  const t = useT();
  const language = useLanguage();
  const field = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState<'qr' | 'edit'>();
  const link = pageUrl(`/file/${mark.slug}`);
  const limits = limitsText(
    {
      maxViews: mark.max_views ?? 0,
      expiresAt: mark.expires_at ? parseTime(mark.expires_at) : null,
      hasPassword: mark.has_password,
    },
    t,
    language,
  );
  useEffect(() => {
    if (focused) field.current?.focus();
  }, [focused]);

  async function end() {
    const sure = await confirm({
      title: t('explorer.share.endTitle'),
      body: t('explorer.share.endBody'),
      confirmLabel: t('explorer.share.end'),
      danger: true,
    });
    if (!sure) return;
    try {
      await deleteFiles([mark.id], 'record_only');
      toast.success(t('explorer.share.undone'));
      onChanged(undefined);
    } catch (error) {
      toast.error(errorText(error, t));
    }
  }

  return (
    <section className={styles.card} aria-label={link}>
      <div className={styles.linkRow}>
        <input
          ref={field}
          className={inputClass}
          readOnly
          value={link}
          aria-label={t('shareBox.link')}
          onFocus={(event) => event.target.select()}
        />
        <CopyButton variant="primary" text={link} label={t('shareBox.copy')} selects={field} />
      </div>
      <p className={styles.limits}>
        {limits} {mark.views > 0 && t('explorer.share.views', mark.views)}{' '}
        <span role="status">{copied ? t('shareBox.autoCopied') : ''}</span>
      </p>
      <div className={styles.actions}>
        {password && (
          <CopyButton
            text={t('shareBox.linkAndPassword', { link, password })}
            label={t('shareBox.copyBoth')}
          />
        )}
        {!mark.has_password && (
          <CopyButton
            text={new URL(fileDownloadUrl(mark.slug), location.origin).href}
            label={t('explorer.share.copyDirect')}
          />
        )}
        <Button icon={<QrCode size={18} aria-hidden="true" />} onClick={() => setOpen('qr')}>
          {t('shareBox.qr')}
        </Button>
        <Link href={`/file/${mark.slug}`} className={buttonClass()}>
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
        <Button icon={<Pencil size={18} aria-hidden="true" />} onClick={() => setOpen('edit')}>
          {t('explorer.share.edit')}
        </Button>
        <Button icon={<Link2Off size={18} aria-hidden="true" />} onClick={() => void end()}>
          {t('explorer.share.end')}
        </Button>
      </div>
      {open === 'qr' && (
        <QrDialog link={link} fileName={`file-${mark.slug}`} onClose={() => setOpen(undefined)} />
      )}
      {open === 'edit' && (
        <Suspense fallback={null}>
          <EditFile
            file={{ ...mark, filename: mark.name }}
            hasPassword={mark.has_password}
            onClose={() => setOpen(undefined)}
            onSaved={(change, secret) => {
              setOpen(undefined);
              onChanged({
                ...mark,
                ...change,
                has_password: secret === undefined ? mark.has_password : secret !== '',
              });
            }}
          />
        </Suspense>
      )}
    </section>
  );
}
