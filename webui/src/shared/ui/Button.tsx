import type { ButtonHTMLAttributes, ReactNode } from 'react';
import styles from './Button.module.css';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: 'primary' | 'plain' | 'quiet' | 'danger';
  /** busy shows that the click is being worked on; further clicks do nothing. */
  busy?: boolean;
  icon?: ReactNode;
}

export function Button({
  variant = 'plain',
  busy = false,
  icon,
  children,
  className = '',
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={`${styles.button} ${styles[variant]} ${className}`}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled'] || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : icon}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

/** buttonClass gives a link the look of a button. */
export const buttonClass = (variant: 'primary' | 'plain' | 'quiet' = 'plain') =>
  `${styles.button} ${styles[variant]}`;
