import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { authHeaders } from '../../api/client';
import { bytesUrl, type Entry } from '../../api/fs';
import { useSize } from '../../hooks/useObserved';
import { useLanguage, useT } from '../../i18n';
import { Markdown } from '../../shared/markdown/Markdown';
import { decode, detectEncoding } from '../../shared/preview/encoding';
import { loadText } from '../../shared/preview/loadText';
import { Button, Skeleton } from '../../shared/ui';
import styles from './explorer.module.css';
import { longestReadme } from './readme';
import { setTaste, useTaste } from './taste';

/** ReadmePanel shows a folder's README below its listing; it folds away. */
export default function ReadmePanel({ entry }: { entry: Entry }) {
  const t = useT();
  const language = useLanguage();
  const { readmeOpen } = useTaste();
  const { path, etag = '' } = entry;
  const { data: text, isPending } = useQuery({
    queryKey: ['readme', path, etag, language],
    queryFn: async ({ signal }) => {
      const bytes = await loadText({ url: bytesUrl(path), headers: authHeaders() }, longestReadme, signal);
      return decode(bytes, detectEncoding(bytes, language));
    },
    placeholderData: keepPreviousData,
  });

  return (
    <details
      className={styles.readme}
      open={readmeOpen}
      onToggle={(event) => {
        if (event.currentTarget.open !== readmeOpen) setTaste({ readmeOpen: event.currentTarget.open });
      }}
    >
      <summary>
        <h2 dir="auto">{entry.name}</h2>
      </summary>
      {isPending && <Skeleton lines={4} />}
      {!isPending && text === undefined && <p className={styles.hint}>{t('explorer.preview.failed')}</p>}
      {text !== undefined && <Clamped key={path} text={text} />}
    </details>
  );
}

/** Height of what a README shows at first, in px; as .readmeShort has it. */
const shortHeight = 480;

/** Clamped is the beginning of a README, and all of it once somebody asks for it or moves the focus into it. */
function Clamped({ text }: { text: string }) {
  const t = useT();
  const [whole, setWhole] = useState(false);
  const [long, setLong] = useState(false);
  const measure = useSize((_, element) => setLong(element.scrollHeight > shortHeight));
  return (
    <>
      <div
        className={whole ? undefined : styles.readmeShort}
        data-long={long || undefined}
        onFocus={() => setWhole(true)}
      >
        <div ref={measure}>
          <Markdown text={text} />
        </div>
      </div>
      {long && !whole && (
        <Button variant="quiet" onClick={() => setWhole(true)}>
          {t('explorer.readme.whole')}
        </Button>
      )}
    </>
  );
}
