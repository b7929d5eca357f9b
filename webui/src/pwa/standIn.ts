import { credential } from '../api/credentials';
import { ApiError } from '../api/errors';
import type { Copy, LostCall } from '../api/offline';
import { loadAreas, t } from '../i18n';
import { tellQueued } from '../shared/offline/tellError';
import { toast } from '../shared/ui';
import { recall } from './copies';
import { enqueue, isCheck, kindOf, noteCheck } from './queue';

/**
 * standIn answers a call that did not reach the server: a read from this device's copy, a write of the kinds of
 * §7 by putting it into the queue, also where the browser believes to be online. Throws an ApiError with failure
 * "queued" for the latter, since nothing has been done yet, "later" for the check of a password, which is never kept,
 * and the given error where there is no help.
 */
export async function standIn(call: LostCall, error: ApiError): Promise<Copy> {
  if (call.method === 'GET') {
    const copy = await recall(call.path).catch(() => undefined);
    if (!copy) throw error;
    return copy;
  }
  const kind = kindOf(call.method, call.path);
  if (!kind || typeof call.body !== 'object') {
    // What the browser believes to be a passing fault of the server is tried again by who has asked.
    if (navigator.onLine) throw error;
    if (isCheck(call.method, call.path)) {
      noteCheck(call.path);
      throw new ApiError('', { failure: 'later' });
    }
    await tellLost(call.path);
    throw error;
  }
  await enqueue({
    ...call,
    kind,
    body: call.body as Record<string, unknown>,
    authType: credential().kind,
  }).catch(() => {
    throw error;
  });
  tellQueued(t);
  throw new ApiError('', { failure: 'queued' });
}

// What a page tells the server in passing, when somebody leaves or gives up.
const inPassing = /\/(logout|abort|cancel)$/;

/** tellLost says that a write will not be sent later, so that nobody waits for it. */
async function tellLost(path: string): Promise<void> {
  if (inPassing.test(path)) return;
  await loadAreas('pwa').then(
    () => toast.warning(t('pwa.notQueued')),
    () => undefined,
  );
}
