import { useEffect, useState, type ReactNode } from 'react';
import type { Paste } from '../../api/types';
import { useLanguage, useT } from '../../i18n';
import { formatNumber, formatSize, remainingViews } from '../../shared/format';
import { countLines } from '../../shared/preview/lines';
import { Time } from '../../shared/ui';
import styles from './paste.module.css';

/** Meta is the line of facts under a paste's title. */
export function Meta({ paste, text }: { paste: Paste; text: string }) {
  const t = useT();
  const language = useLanguage();
  const left = remainingViews(paste.maxViews, paste.views);
  const lines = countLines(text);
  const syntax = useCodeName(paste.syntax);
  const facts: ReactNode[] = [
    <>
      {t('pasteView.meta.created')} <Time value={paste.createdAt} />
    </>,
    paste.expiresAt ? (
      <>
        {t('pasteView.meta.expires')} <Time value={paste.expiresAt} relative />{' '}
        <span className={styles.quiet} aria-hidden="true">
          (<Time value={paste.expiresAt} />)
        </span>
      </>
    ) : (
      t('pasteView.meta.never')
    ),
    left === undefined
      ? t('pasteView.meta.unlimited')
      : left === 0
        ? t('pasteView.meta.noViews')
        : t('pasteView.meta.views', left),
    formatSize(new Blob([text]).size, language),
    t('pasteView.meta.lines', { smart_count: lines, count: formatNumber(lines, language) }),
  ];
  if (syntax) facts.push(syntax);
  if (paste.hasPassword) facts.push(t('pasteView.meta.protected'));
  return (
    <ul className={styles.meta} aria-label={t('pasteView.meta.label')}>
      {facts.map((fact, at) => (
        <li key={at}>{fact}</li>
      ))}
    </ul>
  );
}

/** useCodeName is the name of a stored syntax, and the syntax itself until the names have come. */
function useCodeName(syntax: string | null | undefined) {
  const [name, setName] = useState(syntax);
  useEffect(() => {
    if (!syntax) return;
    void import('../../shared/markdown/codeNames').then(
      (names) => setName(names.codeName(syntax)),
      () => undefined,
    );
  }, [syntax]);
  return name;
}
