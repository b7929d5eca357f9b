import type { ReactNode } from 'react';
import styles from './EmptyState.module.css';

interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  body?: ReactNode;
  /** action is the button or link for what to do next. */
  action?: ReactNode;
}

/** EmptyState says in one sentence that there is nothing, and offers one thing to do. */
export function EmptyState({ icon, title, body, action }: EmptyStateProps) {
  return (
    <div className={styles.panel}>
      {icon && (
        <span className={styles.icon} aria-hidden="true">
          {icon}
        </span>
      )}
      <p className={styles.title}>{title}</p>
      {body && <p className={styles.body}>{body}</p>}
      {action}
    </div>
  );
}
