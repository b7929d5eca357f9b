import { Download, Ellipsis, QrCode } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import type { Paste } from '../../api/types';
import { pageUrl } from '../../config';
import { useT } from '../../i18n';
import { whenIdle } from '../../shared/idle';
import { lazyPart } from '../../shared/lazyPart';
import { Button, CopyButton, QrDialog } from '../../shared/ui';
import { roomyClass, shortClass } from '../../shared/preview/TextBar';
import styles from './paste.module.css';
import type { View } from './syntax';

const More = lazyPart(() => import('./More'), 'exports', 'pasteMore');

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
  const late = useRef<HTMLDivElement>(null);
  const [ready, setReady] = useState(false);
  const [asked, setAsked] = useState(false);
  const name = paste.remark?.trim() || paste.slug;
  useEffect(() => {
    // A button that is replaced while it is pressed would lose its click, which asks for the menu itself.
    const show = () => setReady(!late.current?.matches(':active'));
    return whenIdle(() => void More.prepare().then(show));
  }, []);
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
      <div className={styles.late} ref={late}>
        {ready || asked ? (
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
