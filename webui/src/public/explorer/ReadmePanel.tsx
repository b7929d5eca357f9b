import { useEffect, useState } from 'react';
import { authHeaders } from '../../api/client';
import { bytesUrl, type Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { Markdown } from '../../shared/markdown';
import { decode, detectEncoding } from '../../shared/preview/encoding';
import { loadText } from '../../shared/preview/loadText';
import { Skeleton } from '../../shared/ui';
import styles from './explorer.module.css';
import { longestReadme } from './readme';
import { setTaste, useTaste } from './taste';

/** ReadmePanel shows a folder's README below its listing; it folds away. */
export default function ReadmePanel({ entry }: { entry: Entry }) {
  const t = useT();
  const language = useLanguage();
  const { readmeOpen } = useTaste();
  const [read, setRead] = useState<{ key: string; text?: string }>();
  const { path, etag = '' } = entry;
  const key = `${path} ${etag}`;

  useEffect(() => {
    const leave = new AbortController();
    loadText({ url: bytesUrl(path), headers: authHeaders() }, longestReadme, leave.signal).then(
      (bytes) => setRead({ key, text: decode(bytes, detectEncoding(bytes, language)) }),
      () => {
        if (!leave.signal.aborted) setRead({ key });
      },
    );
    return () => leave.abort();
  }, [key, path, language]);

  return (
    <details
      className={styles.readme}
      open={readmeOpen}
      onToggle={(event) => {
        if (event.currentTarget.open !== readmeOpen) setTaste({ readmeOpen: event.currentTarget.open });
      }}
    >
      <summary>
        <h2>{entry.name}</h2>
      </summary>
      {!read && <Skeleton lines={4} />}
      {read && read.text === undefined && <p className={styles.hint}>{t('explorer.preview.failed')}</p>}
      {read?.text !== undefined && <Markdown text={read.text} />}
    </details>
  );
}
