import { lazy, Suspense } from 'react';
import { useSite } from '../shared/site';
import styles from './Footer.module.css';

const Markdown = lazy(() => import('../shared/markdown').then((module) => ({ default: module.Markdown })));

/** Footer is the administrator's Markdown; absent when there is none. */
export function Footer() {
  const { footerMarkdown } = useSite();
  if (!footerMarkdown.trim()) return null;
  return (
    <footer className={styles.footer}>
      <Suspense fallback={null}>
        <Markdown text={footerMarkdown} ofSite />
      </Suspense>
    </footer>
  );
}
