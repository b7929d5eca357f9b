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
import { openingView, rememberView, type View } from './syntax';
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
  const [view, setView] = useState(() => openingView(paste.slug, paste.syntax, text));
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
            <TriangleAlert size={18} />
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
                  rememberView(paste.slug, next);
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
