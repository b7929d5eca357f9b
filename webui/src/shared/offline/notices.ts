import { config } from '../../config';

/** What the person has said to messages of the system; "none" where the browser has none. */
type NoticeState = NotificationPermission | 'none';

// Plain http addresses and some phones have no messages of the system.
const known = () => 'Notification' in globalThis && isSecureContext;

/** notices are messages of the system, for what ends while nobody looks; they are asked for by a click only. */
export const notices = {
  state: (): NoticeState => (known() ? Notification.permission : 'none'),

  ask: async (): Promise<NoticeState> => (known() ? Notification.requestPermission() : 'none'),

  /** tell shows a message where the person wants it and does not see the page. A later one replaces its like. */
  async tell(text: string, like = 'pasteport'): Promise<void> {
    if (!document.hidden || notices.state() !== 'granted') return;
    const options = { tag: like, icon: `${config.basePath}/icons/192.png` };
    try {
      // Phones show them through the worker only, which also brings the page to the front when one is tapped.
      const registration = await navigator.serviceWorker?.getRegistration();
      if (registration) await registration.showNotification(text, options);
      else new Notification(text, options);
    } catch {
      // The toast is there when its reader comes back.
    }
  },
};
