import { useMemo } from 'react';
import { useT } from '../../i18n';
import { diffLines } from '../editor/diff';
import { LineText } from '../editor/LineText';
import styles from './revisions.module.css';

/** Changes shows in one column which lines and words of a text became others. */
export function Changes({ before, after }: { before: string; after: string }) {
  const t = useT();
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  if (before === after) return <p role="status">{t('revisions.same')}</p>;
  return (
    <pre className={styles.changes} tabIndex={0} role="region" aria-label={t('revisions.changes')}>
      {lines.map((line, index) =>
        line.in === 'both' ? (
          <span key={index}>
            <LineText line={line} />
          </span>
        ) : line.in === 'mine' ? (
          <ins key={index}>
            <span className="visually-hidden">{t('revisions.added')}</span>
            <LineText line={line} />
          </ins>
        ) : (
          <del key={index}>
            <span className="visually-hidden">{t('revisions.removed')}</span>
            <LineText line={line} />
          </del>
        ),
      )}
    </pre>
  );
}
