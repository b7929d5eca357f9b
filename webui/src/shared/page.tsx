import { useEffect, type ReactNode } from 'react';
import type { AroundNavHandler } from 'wouter';
import { useT } from '../i18n';
import { makeStore } from '../store';
import { useSite } from './site';
import { address } from './unsaved';

let tellShown = (): void => undefined;

/** contentShown resolves when the page that was opened first shows what it was opened for. Not every page tells. */
export const contentShown = new Promise<void>((resolve) => (tellShown = resolve));

/** noteShown is called by a page that shows what it was opened for. */
export const noteShown = (): void => tellShown();

// After a navigation the next heading takes the focus and the next title is announced, once each.
let wantsFocus = false;
let wantsAnnouncement = false;

/** noteNavigation is called by the shell when the route has changed. */
export function noteNavigation(): void {
  wantsFocus = true;
  wantsAnnouncement = true;
}

/** LeaveGuard is what asks before a page with something unsaved is left. */
interface LeaveGuard {
  /**
   * step is told before Back or Forward leads away, by so many entries of the history, and again with 0 when a step
   * that it took back has brought the page here again. It answers whether nobody else shall hear of the step.
   */
  step: (by: number) => boolean;
  /** ask puts the page's question, for who wants to lead away by other means; undefined when there is none. */
  ask: () => Promise<boolean> | undefined;
}

/** leaveGuard is there from the first page on that has something to save: see useLeaveGuard. */
export const leaveGuard = makeStore<LeaveGuard | undefined>(undefined);

/** askBefore puts the page's question before a script leads to another page; undefined when there is none. */
export function askBefore(to: string): Promise<boolean> | undefined {
  const { pathname, search } = new URL(to, location.href);
  return pathname + search === address() ? undefined : leaveGuard.get()?.ask();
}

/** aroundNav leads where a script wants to, after a yes; what takes the place of the page itself is not asked about. */
export const aroundNav: AroundNavHandler = (navigate, to, options) => {
  const asked = options?.replace ? undefined : askBefore(to);
  if (asked) void asked.then((sure) => sure && navigate(to, options));
  else navigate(to, options);
};

/** announcerId is the live region of the shell that reads out page titles. */
export const announcerId = 'pp-announcer';

/** useSiteTitle is the configured title, else the product's name (§2). */
export function useSiteTitle(): string {
  const t = useT();
  return useSite().title.trim() || t('app.name');
}

/** useAnnounced reads a text out to who does not see the page, whenever it has changed; "" is nothing to say. */
export function useAnnounced(text: string): void {
  useEffect(() => {
    const region = document.getElementById(announcerId);
    if (region && text) region.textContent = text;
  }, [text]);
}

/** usePageTitle sets the document's title: "{subtitle} - {site}", on Home the other way round. */
export function usePageTitle(subtitle: string, home = false): void {
  const t = useT();
  const site = useSiteTitle();
  const title = home ? `${site} - ${subtitle}` : `${subtitle} - ${site}`;
  useEffect(() => {
    document.title = title;
    const region = document.getElementById(announcerId);
    if (wantsAnnouncement && region) {
      wantsAnnouncement = false;
      region.textContent = t('app.announce', { title: subtitle });
    }
  }, [title, subtitle, t]);
}

function takeFocus(heading: HTMLElement | null) {
  if (!heading || !wantsFocus) return;
  wantsFocus = false;
  // A field that asks for the focus itself, such as a password, keeps it.
  const focused = document.activeElement;
  if (focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement) return;
  heading.focus({ preventScroll: true });
}

/** PageHeading is the one h1 of a page. It takes the focus after a navigation, so that readers start there. */
export function PageHeading({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <h1 ref={takeFocus} tabIndex={-1} dir="auto" className={className}>
      {children}
    </h1>
  );
}
