import { pageUrl } from '../config';
import { t } from '../i18n';
import { copyText } from '../shared/clipboard';
import { notices } from '../shared/offline/notices';
import { openPanel } from '../shared/offline/panels';
import { tellError } from '../shared/offline/tellError';
import { toast } from '../shared/ui';
import { closeToast } from '../shared/ui/toasts';
import { patch } from '../store';
import type { QueueItem } from '../shared/offline/db';
import { amend, drain, textOf, waiting, type Drained } from './queue';
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

/** resend sends a write again, changed where `change` says so, with the password that belongs to it. */
export const resend = (item: QueueItem, change: Parameters<typeof amend>[1] = {}, password = '') =>
  void amend(item.id, change).then(() => sync(password ? { [item.id]: password } : undefined));

function tell({ sent, refused }: Drained): void {
  if (sent.length > 0) {
    for (const { item, answer } of sent) if (item.tell) void tellOpened(fieldOf(answer, 'id'));
    const made = sent.flatMap(({ item, answer }) =>
      item.type === 'createPaste' ? [fieldOf(answer, 'slug')] : [],
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

// Whoever sees the queue needs the message about refused writes no more.
openPanel.subscribe(() => {
  if (openPanel.get() === 'queue') closeToast(refusal);
});

function failed(): void {
  refusal = toast.error(t('pwa.syncFailed'), {
    action: { label: t('errors.http.showQueue'), run: () => openPanel.set('queue') },
  });
  void notices.tell(t('pwa.syncFailed'), 'sync');
}

const fieldOf = (answer: unknown, name: 'id' | 'slug') =>
  textOf((answer as Partial<Record<string, unknown>> | undefined)?.[name]);
