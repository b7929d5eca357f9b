import type { ButtonHTMLAttributes, ReactNode } from 'react';
import styles from './IconButton.module.css';

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** label is the accessible name and the tooltip. */
  label: string;
  children: ReactNode;
}

export function IconButton({ label, children, className = '', type = 'button', ...rest }: IconButtonProps) {
  return (
    <button {...rest} type={type} className={`${styles.icon} ${className}`} aria-label={label} title={label}>
      {children}
    </button>
  );
}

/** iconLinkClass gives a link the look of an icon button. */
export const iconLinkClass = styles.icon;
