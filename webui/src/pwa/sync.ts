import { pageUrl } from '../config';
import { t } from '../i18n';
import { copyText } from '../shared/clipboard';
import { notices } from '../shared/offline/notices';
import { showPanel } from '../shared/offline/panels';
import { tellError } from '../shared/offline/tellError';
import { toast } from '../shared/ui';
import { closeToast } from '../shared/ui/toasts';
import { patch } from '../store';
import { drain, waiting, type Drained } from './queue';
import { queueState } from './queueState';

/** refresh reads what waits, for those who show it. */
export async function refresh(): Promise<void> {
  patch(queueState, { items: await waiting().catch(() => []) });
}

/** sync sends what waits and says what came of it; the pages that show it read it again. */
export async function sync(passwords?: Record<string, string>): Promise<void> {
  patch(queueState, { syncing: true });
  try {
    tell(await drain(passwords));
  } catch {
    failed();
  } finally {
    patch(queueState, { syncing: false });
    await refresh();
  }
}

function tell({ sent, refused }: Drained): void {
  if (sent.length > 0) {
    for (const { item, answer } of sent) if (item.tell) void tellOpened(textOf(answer, 'id'));
    const made = sent.flatMap(({ item, answer }) =>
      item.type === 'createPaste' ? [textOf(answer, 'slug')] : [],
    );
    const last = made.at(-1);
    void notices.tell(t('pwa.sent', sent.length), 'sync');
    toast.success(t('pwa.sent', sent.length), {
      ...(last && {
        lasts: 15_000,
        action: { label: t('pwa.copyLink'), run: () => void copyText(pageUrl(`/paste/${last}`)) },
      }),
    });
  }
  if (refused > 0) failed();
}

/** tellOpened has the owner of a share that waited told when it is opened, as was chosen when it was made. */
async function tellOpened(id: string): Promise<void> {
  try {
    const { tellMe } = await import('../api/notifications');
    await tellMe(id, true);
  } catch (error) {
    tellError(error, t);
  }
}

let refusal = 0;

/** settleRefusal closes the message about refused writes: whoever sees the queue needs it no more. */
export const settleRefusal = () => closeToast(refusal);

function failed(): void {
  refusal = toast.error(t('pwa.syncFailed'), {
    action: { label: t('errors.http.showQueue'), run: () => showPanel('queue') },
  });
  void notices.tell(t('pwa.syncFailed'), 'sync');
}

const textOf = (answer: unknown, name: 'id' | 'slug'): string => {
  const { [name]: text } = (answer ?? {}) as Record<string, unknown>;
  return typeof text === 'string' ? text : '';
};
