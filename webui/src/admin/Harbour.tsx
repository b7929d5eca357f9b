/** Harbour is the picture beside the sign-in form: a sheet of paper as the sail of a boat, in the colours of the page. */
export const Harbour = ({ className }: { className?: string | undefined }) => (
  <svg className={className} viewBox="0 0 360 300" aria-hidden="true" fill="none" strokeLinecap="round">
    <circle cx="268" cy="84" r="30" fill="var(--accent)" opacity="0.16" />
    {/* The quay with its light. */}
    <path d="M20 234V104h22v132" fill="var(--surface)" stroke="var(--line-strong)" strokeWidth="2" />
    <path d="M20 136h22M20 172h22" stroke="var(--accent)" strokeWidth="6" strokeLinecap="butt" />
    <path d="M17 104h28l-5-18H22z" fill="var(--accent)" />
    <path d="M48 92l62-18M48 98l70 2" stroke="var(--accent)" strokeWidth="2" opacity="0.45" />
    {/* The boat: a page with a folded corner, and what is written on it. */}
    <path
      d="M172 58h72l28 28v112H172z"
      fill="var(--surface)"
      stroke="var(--accent)"
      strokeWidth="3"
      strokeLinejoin="round"
    />
    <path d="M244 58v28h28" stroke="var(--accent)" strokeWidth="3" strokeLinejoin="round" />
    <path d="M192 94h34M192 116h60M192 138h60M192 160h40" stroke="var(--line-strong)" strokeWidth="3" />
    <path d="M140 206h164l-24 34H168z" fill="var(--accent)" />
    <path d="M158 206V40" stroke="var(--accent)" strokeWidth="4" />
    <path d="M158 42l-26 8 26 9z" fill="var(--accent)" opacity="0.5" />
    {/* The sea. */}
    <g stroke="var(--accent)" strokeWidth="3">
      <path d="M8 240c14 0 14-10 28-10s14 10 28 10 14-10 28-10 14 10 28 10 14-10 28-10 14 10 28 10 14-10 28-10 14 10 28 10 14-10 28-10 14 10 28 10 14-10 28-10 14 10 28 10" />
      <path
        d="M36 266c14 0 14-10 28-10s14 10 28 10 14-10 28-10 14 10 28 10 14-10 28-10 14 10 28 10 14-10 28-10 14 10 28 10 14-10 28-10"
        opacity="0.5"
      />
      <path d="M92 290c14 0 14-10 28-10s14 10 28 10 14-10 28-10 14 10 28 10" opacity="0.25" />
    </g>
  </svg>
);
