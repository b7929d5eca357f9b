import { useId, type ReactNode, type Ref } from 'react';
import { useT } from '../../i18n';
import styles from './ErrorSummary.module.css';

export interface ListedProblem {
  text: ReactNode;
  /** go leads to where it is; without it there is nowhere to go. */
  go?: (() => void) | undefined;
  /** to is the id of the element that it leads to. */
  to?: string;
}

interface ProblemListProps {
  problems: readonly ListedProblem[];
  /** ref is the list itself, which can take the focus. */
  ref: Ref<HTMLDivElement>;
}

/** ProblemList counts problems and leads to each. */
export function ProblemList({ problems, ref }: ProblemListProps) {
  const t = useT();
  const id = useId();
  return (
    <div ref={ref} className={styles.summary} role="group" aria-labelledby={id} tabIndex={-1}>
      <p id={id} className={styles.title}>
        {t('errors.several', problems.length)}
      </p>
      <ul>
        {problems.map(({ text, go, to = '' }, at) => (
          <li key={at}>
            {go ? (
              <a
                href={`#${to}`}
                onClick={(event) => {
                  event.preventDefault();
                  go();
                }}
              >
                {text}
              </a>
            ) : (
              text
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
