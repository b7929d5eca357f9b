import { TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import type { Paste } from '../../api/types';
import { useT } from '../../i18n';
import { remainingViews } from '../../shared/format';
import { PageHeading } from '../../shared/page';
import { Actions } from './Actions';
import { Content } from './Content';
import { Meta } from './Meta';
import styles from './paste.module.css';
import { firstView, type View } from './syntax';
import { parseLines } from '../../shared/preview/lines';
import { TextBar, TextForms } from '../../shared/preview/TextBar';
import { useWrapKey } from '../../shared/preview/useWrapKey';

const Edit = lazy(() => import('./edit'));

interface PasteViewProps {
  paste: Paste;
  /** password that opened it; "" when it needs none. */
  password: string;
  /** notice stands above the text. */
  notice?: ReactNode;
}

/** PasteView is an open paste: title, one line of facts, a bar with its forms and what can be done, the text. */
export function PasteView({ paste: opened, password: given, notice }: PasteViewProps) {
  const t = useT();
  const [paste, setPaste] = useState(opened);
  const [password, setPassword] = useState(given);
  const [editing, setEditing] = useState(false);
  const text = paste.content ?? '';
  const [view, setView] = useRememberedView(paste, text);
  const leave = useScrollPlaces(view);
  const [wrap, setWrap] = useState(true);
  const [tools, setTools] = useState<HTMLElement | null>(null);
  const left = remainingViews(paste.maxViews, paste.views);
  useWrapKey(() => setWrap((before) => !before));

  function saved(change: Partial<Paste>, newPassword: string | undefined) {
    setPaste({ ...paste, ...change });
    setEditing(false);
    if (newPassword !== undefined) setPassword(newPassword);
  }

  return (
    <div className={styles.page}>
      {notice}
      <header className={styles.head}>
        <PageHeading>{paste.remark?.trim() || paste.slug}</PageHeading>
        <Meta paste={paste} text={text} />
        {(paste.isLastView || (left ?? 3) < 3) && (
          <p className={styles.warning}>
            <TriangleAlert size={18} aria-hidden="true" />
            {t(left && !paste.isLastView ? 'pasteView.meta.views' : 'pasteView.lastView', left)}
          </p>
        )}
      </header>
      {editing ? (
        <Suspense fallback={null}>
          <Edit slug={paste.slug} onSaved={saved} onClose={() => setEditing(false)} />
        </Suspense>
      ) : (
        <>
          <TextBar
            stays
            forms={
              <TextForms
                label={t('pasteView.modes.label')}
                value={view}
                onChange={(next) => {
                  leave();
                  setView(next);
                }}
                choices={(['preview', 'text', 'code'] as const).map((value) => ({
                  value,
                  label: t(`pasteView.modes.${value}`),
                }))}
                wrap={view === 'preview' ? undefined : wrap}
                onWrap={setWrap}
                toolsRef={setTools}
              />
            }
          >
            <Actions
              paste={paste}
              text={text}
              password={password}
              view={view}
              onEdit={() => setEditing(true)}
              onText={(content) => setPaste({ ...paste, content })}
            />
          </TextBar>
          <Content text={text} syntax={paste.syntax} view={view} wrap={wrap} tools={tools} />
        </>
      )}
    </div>
  );
}

/** useScrollPlaces brings a form back to where it was scrolled to; the answer notes the place and is called on leaving. */
function useScrollPlaces(view: View): () => void {
  const places = useRef(new Map<View, number>());
  useEffect(() => {
    const place = places.current.get(view);
    if (place === undefined) return;
    const frame = requestAnimationFrame(() => scrollTo(0, place));
    return () => cancelAnimationFrame(frame);
  }, [view]);
  return () => places.current.set(view, scrollY);
}

/** The chosen form of a paste is remembered by the tab; an address with line numbers opens the code. */
function useRememberedView(paste: Paste, text: string): [View, (view: View) => void] {
  const key = `pp.view.${paste.slug}`;
  const [view, setView] = useState<View>(() => {
    if (parseLines(location.hash)) return 'code';
    const kept = readTab(key);
    return kept === 'preview' || kept === 'text' || kept === 'code' ? kept : firstView(paste.syntax, text);
  });
  return [
    view,
    (next) => {
      setView(next);
      writeTab(key, next);
    },
  ];
}

function readTab(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

function writeTab(key: string, value: string) {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // Not remembered, then.
  }
}
