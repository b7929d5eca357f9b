import { FileStack, type LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import { permissions } from '../auth/permissions';
import type { Session } from '../auth/session';
import { mayUse, type Needs } from './access';

/** A page of the panel. It may have pages of its own below its path; see keys/index.tsx. */
export interface PanelPage {
  /** path below /admin, which is the name of the page's resource, too; "" is the dashboard. */
  path: string;
  /** title is the message key of its name: in the menu, as heading and in the document's title. */
  title: string;
  icon: LucideIcon;
  needs: Needs;
  /** group puts it under a heading of the menu that can be folded. */
  group?: 'settings' | 'system';
  load: () => Promise<{ default: ComponentType }>;
  /** areas are message areas it needs besides "admin". */
  areas?: readonly string[];
}

/** pages is the whole panel in the order of its menu. Adding a page is a line here and its texts. */
export const pages: readonly PanelPage[] = [
  {
    path: 'text-management',
    title: 'admin.pages.texts',
    icon: FileStack,
    needs: permissions.TEXT,
    load: () => import('./texts'),
    areas: ['share', 'shareEdit'],
  },
];

/** usablePages are the pages that a session may use. */
export const usablePages = (session: Session): PanelPage[] =>
  pages.filter((page) => mayUse(session, page.needs));

/** firstPath is where a session is sent that may not use the page it asked for, below /admin. */
export const firstPath = (session: Session): string => usablePages(session)[0]?.path ?? '';

/** pageAt is the page that an address below the app belongs to. */
export function pageAt(pathname: string): PanelPage | undefined {
  const path = pathname.replace(/^\/admin\/?/, '').replace(/\/$/, '');
  return pages.find((page) => path === page.path || (page.path !== '' && path.startsWith(`${page.path}/`)));
}
