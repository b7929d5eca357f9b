import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { authHeaders } from '../../api/client';
import { bytesUrl, type Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { Markdown } from '../../shared/markdown/Markdown';
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
      {text !== undefined && <Markdown text={text} />}
    </details>
  );
}
