import type { ReactNode } from 'react';
import styles from './EmptyState.module.css';

interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  body?: ReactNode;
  /** action is the button or link for what to do next. */
  action?: ReactNode;
  /** whole says that the page has nothing else: the icon then sails by as the page of a boat. */
  whole?: boolean;
}

/** EmptyState says in one sentence that there is nothing, and offers one thing to do. */
export function EmptyState({ icon, title, body, action, whole = false }: EmptyStateProps) {
  return (
    <div className={styles.panel} data-whole={whole || undefined}>
      {icon && (
        <span className={styles.icon} aria-hidden="true">
          {whole && <Boat />}
          {icon}
        </span>
      )}
      <p className={styles.title}>{title}</p>
      {body && <p className={styles.body}>{body}</p>}
      {action}
    </div>
  );
}

/** Boat is a sheet of paper under sail, as beside the sign-in form; the icon stands on the sheet. */
const Boat = () => (
  <svg viewBox="0 0 168 112" fill="none" strokeLinecap="round" strokeLinejoin="round">
    <circle cx="126" cy="28" r="13" fill="var(--accent)" opacity="0.14" />
    <path d="M60 6h36l14 14v58H60z" fill="var(--surface)" stroke="var(--accent)" strokeWidth="2" />
    <path d="M96 6v14h14" stroke="var(--accent)" strokeWidth="2" />
    <path d="M44 80h82l-10 14H54z" fill="var(--accent)" />
    <g stroke="var(--accent)" strokeWidth="2">
      <path d="M6 96c8 0 8-5 16-5s8 5 16 5 8-5 16-5 8 5 16 5 8-5 16-5 8 5 16 5 8-5 16-5 8 5 16 5 8-5 16-5 8 5 12 5" />
      <path d="M38 107c8 0 8-5 16-5s8 5 16 5 8-5 16-5 8 5 16 5 8-5 16-5 8 5 12 5" opacity="0.4" />
    </g>
  </svg>
);
