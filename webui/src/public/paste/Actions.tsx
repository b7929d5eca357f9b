import { Download, Ellipsis, QrCode } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Paste } from '../../api/types';
import { pageUrl } from '../../config';
import { loadAreas, useT } from '../../i18n';
import { whenIdle } from '../../shared/idle';
import { lazyPart } from '../../shared/lazyPart';
import { Button, CopyButton, QrDialog } from '../../shared/ui';
import { roomyClass, shortClass } from '../../shared/preview/TextBar';
import styles from './paste.module.css';
import type { View } from './syntax';

const More = lazy(async () => (await Promise.all([import('./More'), loadAreas('exports', 'pasteMore')]))[0]);

const RevisionsDialog = lazyPart(() => import('../../shared/revisions/RevisionsDialog'), 'revisions');

interface ActionsProps {
  paste: Paste;
  text: string;
  password: string;
  view: View;
  onEdit: () => void;
  /** onText is told the text that an earlier version has put in place of this one. */
  onText: (text: string) => void;
}

/** Actions is what a reader, and the owner, can do with a paste. */
export function Actions({ paste, text, password, view, onEdit, onText }: ActionsProps) {
  const t = useT();
  const [qr, setQr] = useState(false);
  const [versions, setVersions] = useState(false);
  const [idle, setIdle] = useState(false);
  const [asked, setAsked] = useState(false);
  const name = paste.remark?.trim() || paste.slug;
  useEffect(() => whenIdle(() => setIdle(true)), []);
  const link = pageUrl(`/paste/${paste.slug}`);

  // After the last view no link leads to the text any more.
  const linkWorks = !paste.isLastView;

  const download = () =>
    void import('./download').then((does) => does.download(text, name, paste.syntax, view));

  const icon = { size: 18, 'aria-hidden': true } as const;
  const placeholder = (
    <>
      <span className={styles.exportPlace} />
      <Button
        variant="quiet"
        className={shortClass}
        title={t('pasteView.actions.more')}
        icon={<Ellipsis {...icon} />}
        onClick={() => setAsked(true)}
      >
        {t('pasteView.actions.more')}
      </Button>
    </>
  );
  return (
    <div className={styles.actions} role="group" aria-label={t('pasteView.actions.label')}>
      <CopyButton variant="primary" className={shortClass} text={text} label={t('pasteView.actions.copy')} />
      <Button variant="quiet" className={roomyClass} icon={<Download {...icon} />} onClick={download}>
        {t('pasteView.actions.download')}
      </Button>
      {linkWorks && (
        <Button
          variant="quiet"
          className={roomyClass}
          icon={<QrCode {...icon} />}
          onClick={() => setQr(true)}
        >
          {t('pasteView.actions.qr')}
        </Button>
      )}
      <div className={styles.late}>
        {idle || asked ? (
          <Suspense fallback={placeholder}>
            <More
              paste={paste}
              text={text}
              password={password}
              view={view}
              linkWorks={linkWorks}
              onDownload={download}
              onQr={() => setQr(true)}
              asked={asked}
              onEdit={onEdit}
              onVersions={() => setVersions(true)}
            />
          </Suspense>
        ) : (
          placeholder
        )}
      </div>
      {versions && (
        <Suspense fallback={null}>
          <RevisionsDialog
            id={paste.slug}
            name={name}
            onRestored={(restored) => {
              setVersions(false);
              onText(restored);
            }}
            onClose={() => setVersions(false)}
          />
        </Suspense>
      )}
      {qr && <QrDialog link={link} fileName={`paste-${paste.slug}`} onClose={() => setQr(false)} />}
    </div>
  );
}
