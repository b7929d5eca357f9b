import { isAborted, isQueued } from '../../api/errors';
import { errorText } from '../../api/errorText';
import type { Translate } from '../../i18n';
import { toast } from '../ui';
import { openPanel } from './panels';

/**
 * tellError says in passing why something did not happen, and reports whether it still will: a write that waits on
 * this device is no error, so what follows a success may follow it. `text` stands for the plain reason of an error.
 */
export function tellError(error: unknown, t: Translate, text?: string): boolean {
  if (isQueued(error)) {
    tellQueued(t);
    return true;
  }
  if (!isAborted(error)) toast.error(text ?? errorText(error, t));
  return false;
}

/** tellQueued says that a write waits on this device, and leads to it. */
export function tellQueued(t: Translate): void {
  toast.info(t('errors.http.queued'), {
    action: { label: t('errors.http.showQueue'), run: () => openPanel.set('queue') },
  });
}
