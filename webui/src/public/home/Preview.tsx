import { lazy, Suspense, useDeferredValue, useEffect, useRef, useState } from 'react';
import { useSize } from '../../hooks/useObserved';
import { useSettled } from '../../hooks/useTimer';
import { useT } from '../../i18n';
import { Button, Segmented, Skeleton } from '../../shared/ui';
import { isFollowing, showLine, topLine } from './along';
import styles from './home.module.css';

const Markdown = lazy(() =>
  import('../../shared/markdown/Markdown').then((module) => ({ default: module.Markdown })),
);

/** Longest text, in UTF-16 units, that is rendered again while someone types. */
const liveLimit = 256 * 1024;

/** Milliseconds after the last key until the preview follows. */
const delay = 250;

const devices = ['desktop', 'tablet', 'phone'] as const;
type Device = (typeof devices)[number];

interface PreviewProps {
  text: string;
  /** line is what stands at the top of the source, see EditorProps; undefined when the preview stands alone. */
  line: number | undefined;
  /** onScroll tells which line of the source the preview shows at its top. */
  onScroll: (line: number) => void;
}

/** Preview renders the text as its readers will see it. */
export default function Preview({ text, line, onScroll }: PreviewProps) {
  const t = useT();
  const pane = useRef<HTMLDivElement>(null);
  const settled = useDeferredValue(useSettled(text, delay));
  const [asked, setAsked] = useState('');
  const [device, setDevice] = useState<Device>('desktop');
  const large = settled.length > liveLimit && asked !== settled;

  // Whether the source leads: then the place is kept when the content gets its height.
  const led = useRef(true);
  useEffect(() => {
    led.current = true;
    if (pane.current && line !== undefined) showLine(pane.current, line);
  }, [line]);
  const body = useSize(() => {
    if (led.current && pane.current && line !== undefined) showLine(pane.current, line);
  });

  return (
    <div
      ref={pane}
      className={styles.preview}
      role="region"
      aria-label={t('home.editor.preview')}
      tabIndex={0}
      onScroll={() => {
        if (!pane.current || line === undefined || isFollowing(pane.current)) return;
        led.current = false;
        onScroll(topLine(pane.current));
      }}
    >
      {line === undefined && (
        <div className={styles.devices}>
          <Segmented
            label={t('home.editor.devices.label')}
            value={device}
            onChange={setDevice}
            choices={devices.map((value) => ({ value, label: t(`home.editor.devices.${value}`) }))}
          />
        </div>
      )}
      {settled.trim() === '' ? (
        <p className={styles.quiet}>{t('home.editor.empty')}</p>
      ) : large ? (
        <div className={styles.large}>
          <p className={styles.quiet}>{t('home.editor.large')}</p>
          <Button onClick={() => setAsked(settled)}>{t('home.editor.renderNow')}</Button>
        </div>
      ) : (
        <Suspense fallback={<Skeleton lines={5} />}>
          <div ref={body} className={line === undefined ? styles[device] : ''}>
            <Markdown text={settled} withLines />
          </div>
        </Suspense>
      )}
    </div>
  );
}
