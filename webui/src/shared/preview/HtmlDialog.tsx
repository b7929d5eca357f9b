import { ExternalLink, Maximize2, Play } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { apiUrl } from '../../api/client';
import { cspNonce } from '../../config';
import { useT } from '../../i18n';
import { Button, CopyButton, Dialog } from '../ui';
import { framedHtml } from './framedHtml';
import styles from './html.module.css';

interface HtmlDialogProps {
  source: string;
  title: string;
  onClose: () => void;
}

/** HtmlDialog renders somebody's HTML or SVG where it can reach neither this app nor its storage. */
export function HtmlDialog({ source, title, onClose }: HtmlDialogProps) {
  const t = useT();
  const [scripts, setScripts] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  return (
    <Dialog
      title={title}
      wide
      onClose={onClose}
      footer={
        <>
          <CopyButton text={source} label={t('preview.html.copy')} />
          <Button icon={<Play size={18} />} aria-pressed={scripts} onClick={() => setScripts(!scripts)}>
            {t(scripts ? 'preview.html.stop' : 'preview.html.run')}
          </Button>
          <form
            method="post"
            action={apiUrl('/sandbox')}
            target="_blank"
            rel="noopener"
            encType="multipart/form-data"
          >
            <input type="hidden" name="scripts" value={scripts ? '1' : '0'} />
            <input type="hidden" name="html" value={source} />
            <Button type="submit" icon={<ExternalLink size={18} />}>
              {t('preview.html.tab')}
            </Button>
          </form>
          {document.fullscreenEnabled && (
            <Button
              icon={<Maximize2 size={18} />}
              onClick={() => void frame.current?.requestFullscreen().catch(() => undefined)}
            >
              {t('preview.html.full')}
            </Button>
          )}
        </>
      }
    >
      <div ref={frame} className={styles.stage}>
        <HtmlFrame source={source} title={title} scripts={scripts} />
      </div>
      <p className={styles.note}>{t('preview.html.safe')}</p>
    </Dialog>
  );
}

interface HtmlFrameProps {
  source: string;
  title: string;
  scripts: boolean;
}

/**
 * HtmlFrame shows HTML in a frame with an origin of its own. Scripts run only
 * when the viewer asked for it, and never together with this app's origin.
 */
function HtmlFrame({ source, title, scripts }: HtmlFrameProps) {
  const document = useMemo(() => framedHtml(source, scripts, cspNonce()), [source, scripts]);
  return (
    <iframe
      // A changed sandbox counts only for a new document.
      key={String(scripts)}
      className={styles.frame}
      title={title}
      sandbox={scripts ? 'allow-scripts' : ''}
      referrerPolicy="no-referrer"
      srcDoc={document}
    />
  );
}
