import { Suspense, useEffect, useState } from 'react';
import { ApiError } from '../../api/errors';
import { peekPaste, readPaste, unlockPaste } from '../../api/pastes';
import type { Paste } from '../../api/types';
import { useT } from '../../i18n';
import { GateView, OfflineCopy, useGate } from '../../shared/gate';
import { noteShown, PageHeading, usePageTitle } from '../../shared/page';
import { LazyMarkdownDocument } from '../../shared/markdown/LazyMarkdownDocument';
import { Skeleton } from '../../shared/ui';
import { Crumbs } from './Crumbs';
import { PasteView } from './PasteView';
import styles from './paste.module.css';
import { firstView } from './syntax';

/** PastePage shows one shared text to whoever has its link, and its password where one is set. */
export default function PastePage({ slug }: { slug: string }) {
  const t = useT();
  const [copied, setCopied] = useState<Date>();
  const control = useGate<Paste>(`paste/${slug}`, {
    peek: async (signal) => {
      const seen = await peekPaste(slug, signal);
      return {
        requiresPassword: seen.requiresPassword ?? seen.hasPassword,
        isLastView: seen.isLastView ?? false,
      };
    },
    read: (signal) => {
      setCopied(undefined);
      return readPaste(slug, { signal, onCopy: setCopied }).then(opened).then(withStack);
    },
    unlock: (password, signal) => unlockPaste(slug, password, signal),
  });
  const { gate } = control;
  // A protected paste tells its name only to those who have the password.
  const open = gate.state === 'open';
  useEffect(() => {
    if (!open && gate.state !== 'loading') noteShown();
  }, [open, gate.state]);
  usePageTitle(open ? gate.share.remark?.trim() || slug : t('app.titles.paste'));

  return (
    <GateView
      control={control}
      title={t('pasteView.place')}
      loading={
        <div className={styles.page}>
          <Crumbs />
          <PageHeading className="visually-hidden">{t('pasteView.place')}</PageHeading>
          <Skeleton lines={8} />
        </div>
      }
    >
      {(paste, password) => (
        <PasteView
          paste={paste}
          password={password}
          notice={
            copied && (
              <Suspense fallback={null}>
                <OfflineCopy at={copied} onOnline={control.retry} />
              </Suspense>
            )
          }
        />
      )}
    </GateView>
  );
}

/** withStack has what draws a Markdown text at hand before the text is shown, so that it comes in one go. */
async function withStack(paste: Paste): Promise<Paste> {
  if (firstView(paste.syntax, paste.content ?? '') === 'preview') await LazyMarkdownDocument.prepare();
  return paste;
}

/** opened refuses a paste that has got a password since the page was written. */
function opened(paste: Paste): Paste {
  if (paste.requiresPassword) throw new ApiError('', { status: 401, code: 'password_required' });
  return paste;
}
