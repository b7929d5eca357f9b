import { Expand, RefreshCw } from 'lucide-react';
import { useRef, useState } from 'react';
import { useT } from '../../../i18n';
import { lazyPart } from '../../lazyPart';
import { Button, IconButton, Segmented, Skeleton } from '../../ui';
import { DownloadLink } from '../DownloadLink';
import { Settled, type FilePreviewProps } from '../Settled';
import shared from '../preview.module.css';
import { Suspended } from '../Suspended';
import { Unshown } from '../Unshown';
import { useWork } from '../useWork';
import { ForeignViewer } from './ForeignViewer';
import styles from './office.module.css';
import {
  familyOf,
  giveConsent,
  hasConsent,
  officeRules,
  ownKind,
  type OfficeRules,
  type Viewer,
} from './rules';

const noViewers: OfficeRules = { viewers: [], template: '' };

const WordPage = lazyPart(() => import('./WordPage'));
const SheetPage = lazyPart(() => import('./SheetPage'));

/** OfficePreview shows an office document: by itself where it can, else by the viewer of another company. */
export default function OfficePreview({ file, onSettled }: FilePreviewProps) {
  const t = useT();
  const own = ownKind(file);
  const asked = useWork(['office rules'], officeRules);
  // Without an answer nothing leaves this page.
  const rules = asked.value ?? (asked.failed ? noViewers : undefined);

  if (!rules) {
    return (
      <div className={styles.own}>
        <Skeleton height={320} />
      </div>
    );
  }
  const viewers: Viewer[] = [...(own ? ['page' as const] : []), ...(file.lend ? rules.viewers : [])];
  return (
    <>
      <Settled onSettled={onSettled} />
      {viewers[0] ? (
        <Shown file={file} viewers={viewers} first={viewers[0]} template={rules.template} />
      ) : (
        <Unshown file={file} text={t('viewers.office.none')} />
      )}
    </>
  );
}

interface ShownProps extends Pick<FilePreviewProps, 'file'> {
  viewers: readonly Viewer[];
  first: Viewer;
  template: string;
}

function Shown({ file, viewers, first, template }: ShownProps) {
  const t = useT();
  const box = useRef<HTMLDivElement>(null);
  const [viewer, setViewer] = useState(first);
  const [round, setRound] = useState(0);
  const [agreed, setAgreed] = useState(hasConsent);
  const [moved, setMoved] = useState(false);
  const foreign = viewer !== 'page';
  const others = viewers.filter((other) => other !== viewer && other !== 'page');

  // A viewer that does not come is given up for the next one, once.
  const giveUp = () => {
    const [next] = others;
    if (moved || !next) return false;
    setMoved(true);
    setViewer(next);
    return true;
  };

  return (
    <div ref={box} className={styles.office}>
      <div className={shared.toolbar}>
        <p className={styles.family}>{t(`viewers.office.family.${familyOf(file.filename)}`)}</p>
        {viewers.length > 1 && (
          <Segmented
            label={t('viewers.office.viewer')}
            value={viewer}
            onChange={(next) => {
              setMoved(true);
              setViewer(next);
            }}
            choices={viewers.map((value) => ({ value, label: t(`viewers.office.by.${value}`) }))}
          />
        )}
        <span className={styles.gap} />
        <IconButton label={t('viewers.refresh')} onClick={() => setRound(round + 1)}>
          <RefreshCw size={20} />
        </IconButton>
        {document.fullscreenEnabled && (
          <IconButton label={t('viewers.fullScreen')} onClick={() => void box.current?.requestFullscreen()}>
            <Expand size={20} />
          </IconButton>
        )}
        <DownloadLink file={file} />
      </div>
      {!foreign && (
        <div className={styles.own}>
          <Suspended key={round}>
            {ownKind(file) === 'docx' ? <WordPage file={file} /> : <SheetPage file={file} />}
          </Suspended>
        </div>
      )}
      {foreign && viewer !== 'site' && !agreed && (
        <div className={shared.notice}>
          <p>
            <strong>{t('viewers.office.consent.title', { viewer: t(`viewers.office.by.${viewer}`) })}</strong>
          </p>
          <p>{t('viewers.office.consent.body', { viewer: t(`viewers.office.by.${viewer}`) })}</p>
          <Button
            variant="primary"
            onClick={() => {
              giveConsent();
              setAgreed(true);
            }}
          >
            {t('viewers.office.consent.agree')}
          </Button>
        </div>
      )}
      {foreign && (viewer === 'site' || agreed) && file.lend && (
        <ForeignViewer
          key={`${viewer} ${round}`}
          viewer={viewer}
          template={template}
          name={file.filename}
          lend={file.lend}
          attempt={round}
          onLate={giveUp}
          onRetry={() => setRound(round + 1)}
        />
      )}
    </div>
  );
}
