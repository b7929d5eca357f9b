import { useEffect } from 'react';
import { useNotificationContext, useTakeUndoableMutation, useTranslate } from 'react-admin';
import { toast } from '../../shared/ui';

/** Notices hands react-admin's notifications to the toasts of the app, so that there is one place for messages. */
export function Notices() {
  const translate = useTranslate();
  const { notifications, takeNotification } = useNotificationContext();
  const takeMutation = useTakeUndoableMutation();
  useEffect(() => {
    if (notifications.length === 0) return;
    const note = takeNotification();
    if (!note) return;
    const { message, type, notificationOptions } = note;
    // Nothing in the panel is undoable by waiting; a mutation that asks for it runs at once.
    if (notificationOptions?.undoable) takeMutation()?.({ isUndo: false });
    const text =
      typeof message === 'string' ? translate(message, notificationOptions?.messageArgs as object) : '';
    if (text) toast[type === 'error' || type === 'warning' || type === 'success' ? type : 'info'](text);
  }, [notifications, takeNotification, takeMutation, translate]);
  return null;
}
