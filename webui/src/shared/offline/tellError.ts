import { isAborted, isQueued } from '../../api/errors';
import type { Translate } from '../../i18n';
import { errorText } from '../errorText';
import { toast } from '../ui';

/**
 * tellError says in passing why something did not happen, and reports whether it still will: a write that waits on
 * this device is no error, so what follows a success may follow it. `text` stands for the plain reason of an error.
 */
export function tellError(error: unknown, t: Translate, text?: string): boolean {
  if (isQueued(error)) {
    toast.info(errorText(error, t));
    return true;
  }
  if (!isAborted(error)) toast.error(text ?? errorText(error, t));
  return false;
}
