/** A Reason is why somebody may not want to leave. */
interface Reason {
  /** holds says whether something would be lost now by closing the page. */
  holds: () => boolean;
  /** mayLeave asks before another page of the app takes the place of this one; without it nothing is lost by that, but by signing out. */
  mayLeave?: (() => Promise<boolean>) | undefined;
}

/** A Question is a reason that asks, and the address it was given at. */
interface Question {
  mayLeave: () => Promise<boolean>;
  at: string;
}

const reasons = new Set<Reason & { at: string }>();

/** address is where the page is, without the place on it. */
export const address = (): string => location.pathname + location.search;

const closing = (event: Event) => {
  if (hasUnsaved()) event.preventDefault();
};

/** reasonToStay has the browser ask before the page is closed, and useLeaveGuard before it is left. The result takes it back. */
export function reasonToStay({ holds, mayLeave }: Reason): () => void {
  const reason = { holds, mayLeave, at: address() };
  reasons.add(reason);
  addEventListener('beforeunload', closing);
  return () => {
    reasons.delete(reason);
    // A page without a reason is kept by the browser for who comes back.
    if (reasons.size === 0) removeEventListener('beforeunload', closing);
  };
}

/** hasUnsaved says whether something would be lost by closing the page: unsaved texts and running transfers. */
export const hasUnsaved = (): boolean => [...reasons].some(({ holds }) => holds());

/** endsWithSession says whether something goes on behind other pages that nobody signed out can finish, moving or paused. */
export const endsWithSession = (): boolean =>
  [...reasons].some(({ holds, mayLeave }) => !mayLeave && holds());

/** questionNow is what is asked before another page takes the place of this one: by the newest reason, which lies on top. */
export const questionNow = (): Question | undefined =>
  [...reasons].findLast((reason): reason is typeof reason & Question => !!reason.mayLeave && reason.holds());
