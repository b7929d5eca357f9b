/** Mark is the product's mark in the colours of the page: a sheet of paper that lies in a harbour (public/icon.svg). */
export const Mark = ({ size }: { size: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7.5" fill="var(--accent)" />
    <path
      d="M9 5h9l5 5v9.6c-1.75 0-1.75 1.5-3.5 1.5s-1.75-1.5-3.5-1.5-1.75 1.5-3.5 1.5S10.75 19.6 9 19.6z"
      fill="var(--on-accent)"
    />
    <path d="M18 5v5h5" fill="none" stroke="var(--accent)" strokeWidth="1.6" />
    <path
      d="M5.5 25.5c1.75 0 1.75-1.5 3.5-1.5s1.75 1.5 3.5 1.5S14.25 24 16 24s1.75 1.5 3.5 1.5S21.25 24 23 24s1.75 1.5 3.5 1.5"
      fill="none"
      stroke="var(--on-accent)"
      strokeWidth="2"
      strokeLinecap="round"
    />
  </svg>
);
