// Plain http addresses and some phones have no messages of the system.
const known = () => 'Notification' in globalThis && isSecureContext;

/** notices are messages of the system, for what ends while nobody looks; they are asked for by a click only. */
export const notices = {
  state: (): NotificationPermission => (known() ? Notification.permission : 'denied'),

  ask: async (): Promise<NotificationPermission> => (known() ? Notification.requestPermission() : 'denied'),

  tell(text: string) {
    if (!document.hidden || notices.state() !== 'granted') return;
    try {
      new Notification(text);
    } catch {
      // Phones want a worker for it; the toast is there when their owner comes back.
    }
  },
};
