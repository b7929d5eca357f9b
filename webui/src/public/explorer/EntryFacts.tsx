import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { errorText } from '../../api/errorText';
import type { Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatNumber, formatSize } from '../../shared/format';
import { sizesQuery } from '../../shared/query/folders';
import { Button, CopyButton, Time } from '../../shared/ui';
import styles from './explorer.module.css';
import { kindWord } from './kindWord';
import { cleanPath } from './place';
import { unmarked, type Marks } from './useMarks';

interface EntryFactsProps {
  entry: Entry;
  marks: Marks;
}

/** EntryFacts tells all that is known of an entry. */
export function EntryFacts({ entry, marks }: EntryFactsProps) {
  const t = useT();
  const language = useLanguage();
  const { own, links } = marks.get(entry.name) ?? unmarked;
  const shares = [
    ...own.map(({ slug }) => `/file/${slug}`),
    ...links.map(({ slug }) => `/collection/${slug}`),
  ];
  return (
    <dl className={styles.factList}>
      <dt>{t('explorerDialogs.facts.path')}</dt>
      <dd>
        <code>{cleanPath(entry.path)}</code>
        <CopyButton iconOnly text={cleanPath(entry.path)} label={t('explorer.menu.path')} />
      </dd>
      <dt>{t('explorerDialogs.facts.kind')}</dt>
      <dd>{kindWord(entry, t)}</dd>
      {entry.isDirectory && !entry.isVirtual && (
        <>
          <dt>{t('explorer.list.size')}</dt>
          <dd>
            <FolderSize path={entry.path} />
          </dd>
        </>
      )}
      {!entry.isDirectory && typeof entry.size === 'number' && (
        <>
          <dt>{t('explorer.list.size')}</dt>
          <dd>
            {t('explorerDialogs.facts.bytes', {
              size: formatSize(entry.size, language),
              bytes: formatNumber(entry.size, language),
            })}
          </dd>
        </>
      )}
      {entry.modified && (
        <>
          <dt>{t('explorer.list.modified')}</dt>
          <dd>
            <Time value={entry.modified} />
          </dd>
        </>
      )}
      {shares.length > 0 && (
        <>
          <dt>{t('explorerDialogs.facts.shares')}</dt>
          <dd className={styles.shares}>
            {shares.map((href) => (
              <Link key={href} href={href}>
                {href}
              </Link>
            ))}
          </dd>
        </>
      )}
      {entry.etag && (
        <>
          <dt>{t('explorerDialogs.facts.etag')}</dt>
          <dd>
            <code>{entry.etag}</code>
          </dd>
        </>
      )}
    </dl>
  );
}

/** FolderSize counts what a folder holds when it is asked to; closing the dialog stops it. */
function FolderSize({ path }: { path: string }) {
  const t = useT();
  const language = useLanguage();
  const [asked, setAsked] = useState(false);
  const { data, error, isFetching } = useQuery({ ...sizesQuery([path]), enabled: asked });
  const sum = data?.[0];
  const text = sum
    ? t(sum.partial ? 'explorerDialogs.facts.partOf' : 'explorerDialogs.facts.holds', {
        smart_count: sum.files,
        size: formatSize(sum.size, language),
      })
    : error && errorText(error, t);

  if (text) return <span role="status">{text}</span>;
  return (
    <Button busy={isFetching} onClick={() => setAsked(true)}>
      {t('explorerDialogs.facts.count')}
    </Button>
  );
}
