import { ChevronDown } from 'lucide-react';
import { useEffect, useId, useState, type ReactNode } from 'react';
import type { Paste } from '../../api/types';
import { useLanguage, useT } from '../../i18n';
import { formatSize, remainingViews } from '../../shared/format';
import { countLines } from '../../shared/preview/lines';
import { Time } from '../../shared/ui';
import styles from './paste.module.css';

/** Meta is the line of facts under a paste's title; on a narrow page the rest of them comes at a click. */
export function Meta({ paste, text }: { paste: Paste; text: string }) {
  const t = useT();
  const language = useLanguage();
  const left = remainingViews(paste.maxViews, paste.views);
  const lines = countLines(text);
  const syntax = useCodeName(paste.syntax);
  const [all, setAll] = useState(false);
  const id = useId();
  const facts: ReactNode[] = [
    paste.expiresAt ? (
      <>
        {t('pasteView.meta.expires')} <Time value={paste.expiresAt} relative />
      </>
    ) : (
      t('pasteView.meta.never')
    ),
    left === undefined
      ? t('pasteView.meta.unlimited')
      : left === 0
        ? t('pasteView.meta.noViews')
        : t('pasteView.meta.views', left),
    <>
      {t('pasteView.meta.created')} <Time value={paste.createdAt} />
    </>,
    formatSize(new Blob([text]).size, language),
    t('pasteView.meta.lines', lines),
  ];
  if (syntax) facts.push(syntax);
  if (paste.hasPassword) facts.push(t('pasteView.meta.protected'));
  return (
    <div className={styles.meta} data-all={all || undefined}>
      <ul id={id} aria-label={t('pasteView.meta.label')}>
        {facts.map((fact, at) => (
          <li key={at}>{fact}</li>
        ))}
      </ul>
      <button
        type="button"
        aria-expanded={all}
        aria-controls={id}
        aria-label={t('pasteView.meta.label')}
        title={t('pasteView.meta.label')}
        onClick={() => setAll(!all)}
      >
        <ChevronDown size={18} />
      </button>
    </div>
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
