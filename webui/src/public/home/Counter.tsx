import { useDeferredValue, useMemo } from 'react';
import { useLanguage, useT } from '../../i18n';
import { formatOver, formatSize } from '../../shared/format';
import { contentLimit, countText } from './count';
import styles from './home.module.css';

/** Counter says how large the text is; from 90 % of the limit on it warns. */
export function Counter({ text }: { text: string }) {
  const t = useT();
  const language = useLanguage();
  const counted = useDeferredValue(text);
  const { characters, words, lines, bytes } = useMemo(() => countText(counted), [counted]);
  const near = bytes >= contentLimit * 0.9;
  return (
    <p className={styles.counter}>
      <span>{t('home.counter.characters', characters)}</span>
      {words !== undefined && <span>{t('home.counter.words', words)}</span>}
      <span>{t('home.counter.lines', lines)}</span>
      <span className={near ? styles.near : ''} role={near ? 'status' : undefined}>
        {t(
          'home.counter.size',
          near
            ? formatOver(bytes, contentLimit, language)
            : { size: formatSize(bytes, language), limit: formatSize(contentLimit, language) },
        )}
      </span>
    </p>
  );
}
