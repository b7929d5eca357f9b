import { Suspense, useEffect, useState } from 'react';
import { ApiError } from '../../api/errors';
import { peekPaste, readPaste, unlockPaste } from '../../api/pastes';
import type { Paste } from '../../api/types';
import { config } from '../../config';
import { useT } from '../../i18n';
import { pages } from '../../pages';
import { GateView, OfflineCopy, useGate } from '../../shared/gate';
import { noteShown, PageHeading, usePageTitle } from '../../shared/page';
import { Settled } from '../../shared/preview/Settled';
import { prepareMarkdown } from '../../shared/markdown/LazyMarkdownDocument';
import { Skeleton } from '../../shared/ui';
import { Crumbs } from './Crumbs';
import { PasteView } from './PasteView';
import styles from './paste.module.css';
import { firstView } from './syntax';

/** Opened is a paste that was read. */
interface Opened {
  paste: Paste;
  /** copiedAt is when the copy was taken that stands in for a server out of reach. */
  copiedAt?: Date;
}

/** What the page was opened for; it is read while the page is on its way. */
let first: First | undefined;

interface First {
  slug: string;
  reading: Promise<Opened>;
  opened?: Opened;
}

/** prepare reads the paste of which the server has told with the page that anybody may open it. */
export async function prepare(): Promise<void> {
  const [kind, slug] = config.openShare.split('/');
  if (kind !== 'paste' || !slug || !navigator.onLine) return;
  const mine: First = { slug, reading: read(slug) };
  first = mine;
  mine.opened = await mine.reading;
}

/** PastePage shows one shared text to whoever has its link, and its password where one is set. */
export default function PastePage({ slug }: { slug: string }) {
  const t = useT();
  const [atHand] = useState(() => (first?.slug === slug ? first.opened : undefined));
  useEffect(() => {
    if (atHand) first = undefined;
  }, [atHand]);
  const control = useGate<Opened>(
    `paste/${slug}`,
    {
      peek: async (signal) => {
        const seen = await peekPaste(slug, signal);
        return {
          requiresPassword: seen.requiresPassword ?? seen.hasPassword,
          isLastView: seen.isLastView ?? false,
        };
      },
      read: (signal) => {
        const begun = first?.slug === slug ? first.reading : undefined;
        first = undefined;
        return begun ?? read(slug, signal);
      },
      unlock: (password, signal) => unlockPaste(slug, password, signal).then((paste) => ({ paste })),
    },
    atHand,
  );
  const { gate } = control;
  // A protected paste tells its name only to those who have the password.
  const open = gate.state === 'open';
  usePageTitle(open ? gate.share.paste.remark?.trim() || slug : t(pages.paste.title));

  return (
    <>
      {!open && gate.state !== 'loading' && <Settled onSettled={noteShown} />}
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
        {({ paste, copiedAt }, password) => (
          <PasteView
            paste={paste}
            password={password}
            notice={
              copiedAt && (
                <Suspense fallback={null}>
                  <OfflineCopy at={copiedAt} onOnline={control.retry} />
                </Suspense>
              )
            }
          />
        )}
      </GateView>
    </>
  );
}

/** read gives a paste together with what draws its text, so that both come in one go. */
async function read(slug: string, signal?: AbortSignal): Promise<Opened> {
  const opened: Partial<Opened> = {};
  const paste = await readPaste(slug, { signal, onCopy: (at) => (opened.copiedAt = at) });
  // It may have got a password since the page was written.
  if (paste.requiresPassword) throw new ApiError('', { status: 401, code: 'password_required' });
  const text = paste.content ?? '';
  if (firstView(paste.syntax, text) === 'preview') await prepareMarkdown(text);
  return { ...opened, paste };
}
