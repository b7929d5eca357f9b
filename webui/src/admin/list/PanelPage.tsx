import { useContext, type ReactNode } from 'react';
import { useT } from '../../i18n';
import { PageHeading, usePageTitle } from '../../shared/page';
import { PageContext } from '../page';
import styles from './page.module.css';

interface PanelPageProps {
  /** title is its heading, where that is not the name of the page. */
  title?: string;
  /** intro is one sentence on what the page is for. */
  intro?: ReactNode;
  /** action is the page's one primary action. */
  action?: ReactNode;
  children: ReactNode;
}

/** PanelPage is the front of every page of the panel: its heading, the document's title, its main action. */
export function PanelPage({ title: own, intro, action, children }: PanelPageProps) {
  const t = useT();
  const { title: name } = useContext(PageContext);
  const title = own ?? t(name);
  usePageTitle(title);
  return (
    <>
      <header className={styles.head}>
        <div>
          <PageHeading>{title}</PageHeading>
          {intro && <p className={styles.intro}>{intro}</p>}
        </div>
        {action}
      </header>
      {children}
    </>
  );
}
