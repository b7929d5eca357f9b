import { useEffect, useRef } from 'react';
import { useBlocker } from 'react-router-dom';
import { useT } from '../../i18n';
import { confirm } from '../../shared/ui';

/**
 * useLeaveGuard asks before a page with unsaved changes is left: by the panel's own links and the Back button, by
 * the links of the page's header, which another router follows, and by closing the tab.
 */
export function useLeaveGuard(dirty: boolean): void {
  const t = useT();
  const ask = useRef<() => Promise<boolean>>(undefined);
  useEffect(() => {
    ask.current = () =>
      confirm({
        title: t('admin.form.leaveTitle'),
        body: t('admin.form.leaveBody'),
        confirmLabel: t('admin.form.leave'),
        cancelLabel: t('admin.form.stay'),
        danger: true,
      });
  }, [t]);

  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && currentLocation.pathname !== nextLocation.pathname,
  );
  const blocked = useRef(blocker);
  useEffect(() => {
    blocked.current = blocker;
  }, [blocker]);
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    void ask.current?.().then((leave) => {
      if (leave) blocked.current.proceed?.();
      else blocked.current.reset?.();
    });
  }, [blocker.state]);

  useEffect(() => {
    if (!dirty) return;
    const unload = (event: BeforeUnloadEvent) => event.preventDefault();
    let agreed = false;
    const outside = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('header a[href]') : null;
      if (agreed || !(link instanceof HTMLAnchorElement) || link.target === '_blank') return;
      event.preventDefault();
      event.stopPropagation();
      void ask.current?.().then((leave) => {
        if (!leave) return;
        agreed = true;
        link.click();
      });
    };
    addEventListener('beforeunload', unload);
    document.addEventListener('click', outside, true);
    return () => {
      removeEventListener('beforeunload', unload);
      document.removeEventListener('click', outside, true);
    };
  }, [dirty]);
}
