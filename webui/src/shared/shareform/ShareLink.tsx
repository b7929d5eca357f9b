import { ExternalLink, QrCode, Share2 } from 'lucide-react';
import { useState, type ReactNode, type RefObject } from 'react';
import { Link } from 'wouter';
import { pageUrl } from '../../config';
import { useT } from '../../i18n';
import { Button, buttonClass, CopyButton, QrDialog } from '../ui';
import styles from './ShareLink.module.css';
import { TellMe, type Telling } from './TellMe';

interface ShareLinkProps {
  /** path of the share's page, such as /paste/abc. */
  path: string;
  /** limits says in words how long and how often the share can be seen. */
  limits: string;
  /** password is known right after the share was made, else "". */
  password: string;
  /** copied says that the link is on the clipboard already. */
  copied: boolean;
  /** field is the link, for who puts the focus there. */
  field: RefObject<HTMLInputElement | null>;
  /** telling is whether its owner is told when it is opened. */
  telling?: Telling | undefined;
  /** children are more buttons. */
  children?: ReactNode;
}

/** ShareLink is the link of a share with the ways to hand it on. */
export function ShareLink({ path, limits, password, copied, field, telling, children }: ShareLinkProps) {
  const t = useT();
  const [qr, setQr] = useState(false);
  const link = pageUrl(path);
  return (
    <>
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
        {password && (
          <CopyButton
            text={t('shareBox.linkAndPassword', { link, password })}
            label={t('shareBox.copyBoth')}
          />
        )}
        <Button icon={<QrCode size={18} />} onClick={() => setQr(true)}>
          {t('shareBox.qr')}
        </Button>
        <Link href={path} className={buttonClass()}>
          <ExternalLink size={18} />
          {t('shareBox.open')}
        </Link>
        {typeof navigator.share === 'function' && (
          <Button
            icon={<Share2 size={18} />}
            onClick={() => void navigator.share({ url: link }).catch(() => undefined)}
          >
            {t('shareBox.native')}
          </Button>
        )}
        {children}
      </div>
      {telling && <TellMe key={telling.id} {...telling} />}
      {qr && <QrDialog link={link} fileName={path.slice(1).replace('/', '-')} onClose={() => setQr(false)} />}
    </>
  );
}
