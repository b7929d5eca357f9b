import { lazy, Suspense } from 'react';
import { useSite } from '../shared/site';
import styles from './Footer.module.css';

const Markdown = lazy(() =>
  import('../shared/markdown/Markdown').then((module) => ({ default: module.Markdown })),
);

// Nothing in such a line means anything in Markdown.
const plainLine = /^[\p{L}\p{N}©® ,'’·–—]+$/u;

/** Footer is the administrator's Markdown; absent when there is none. One plain line needs no Markdown to be shown. */
export function Footer() {
  const text = useSite().footerMarkdown.trim();
  if (!text) return null;
  return (
    <footer className={styles.footer}>
      {plainLine.test(text) ? (
        <p>{text}</p>
      ) : (
        <Suspense fallback={null}>
          <Markdown text={text} ofSite />
        </Suspense>
      )}
    </footer>
  );
}
