import {
  DatabaseBackup,
  FileStack,
  ListTodo,
  ScrollText,
  Share2,
  ShieldCheck,
  Files,
  FolderTree,
  Footprints,
  Gauge,
  Globe,
  HardDrive,
  BellRing,
  Inbox,
  KeyRound,
  LayoutTemplate,
  MonitorPlay,
  ScanSearch,
  SlidersHorizontal,
  Stethoscope,
  UserRound,
} from 'lucide-react';
import type { ComponentType } from 'react';
import { permissions } from '../auth/permissions';
import type { Session } from '../auth/session';
import { mayUse, type Needs } from './access';
import type { ShownPage } from './page';

type Load = () => Promise<{ default: ComponentType }>;

/** A page of the panel, and the pages of its records below it. */
export interface PanelPage extends ShownPage {
  /** path below /admin, which is the name of the page's resource, too; "" is the dashboard. */
  path: string;
  /** needs is who may use it: the administrator alone, unless it is said. */
  needs?: Needs;
  /** group puts it under a heading of the menu that can be folded. */
  group?: 'settings' | 'system';
  load: Load;
  /** form is the page below it on which a record is made or changed. */
  form?: Load;
  /** areas are message areas it needs besides "admin". */
  areas?: readonly string[];
}

/** pages is the whole panel in the order of its menu. Adding a page is a line here and its texts. */
export const pages: readonly PanelPage[] = [
  {
    path: '',
    title: 'admin.pages.dashboard',
    icon: Gauge,
    load: () => import('./dashboard'),
  },
  {
    path: 'shares',
    title: 'admin.pages.shares',
    icon: Share2,
    load: () => import('./shares'),
    areas: ['ops'],
  },
  {
    path: 'text-management',
    title: 'admin.pages.texts',
    icon: FileStack,
    needs: permissions.TEXT,
    load: () => import('./texts'),
    areas: ['share', 'shareEdit'],
  },
  {
    path: 'file-management',
    title: 'admin.pages.files',
    icon: Files,
    needs: permissions.FILE_SHARE,
    load: () => import('./files'),
    areas: ['share', 'shareEdit'],
  },
  {
    path: 'requests',
    title: 'admin.pages.requests',
    icon: Inbox,
    needs: permissions.FILE_SHARE,
    load: () => import('./requests'),
    form: () => import('./requests/RequestForm'),
    areas: ['requests', 'request', 'qr'],
  },
  {
    path: 'storage-config',
    title: 'admin.pages.storage',
    icon: HardDrive,
    load: () => import('./storage/StorageList'),
    form: () => import('./storage/StorageForm'),
  },
  {
    path: 'mount-management',
    title: 'admin.pages.mounts',
    icon: FolderTree,
    load: () => import('./mounts/MountList'),
    form: () => import('./mounts/MountForm'),
  },
  {
    path: 'key-management',
    title: 'admin.pages.keys',
    icon: KeyRound,
    load: () => import('./keys/KeyList'),
    form: () => import('./keys/KeyForm'),
  },
  {
    path: 'policies',
    title: 'admin.pages.policies',
    icon: ShieldCheck,
    load: () => import('./policies'),
    areas: ['ops'],
  },
  {
    path: 'backup',
    title: 'admin.pages.backup',
    icon: DatabaseBackup,
    load: () => import('./backup'),
    areas: ['ops'],
  },
  {
    path: 'account',
    title: 'admin.pages.account',
    icon: UserRound,
    load: () => import('./account'),
    areas: ['ops'],
  },
  {
    path: 'settings/global',
    title: 'admin.pages.global',
    icon: SlidersHorizontal,
    group: 'settings',
    load: () => import('./settings/Global'),
  },
  {
    path: 'settings/webdav',
    title: 'admin.pages.webdav',
    icon: Globe,
    group: 'settings',
    load: () => import('./settings/Webdav'),
  },
  {
    path: 'settings/preview',
    title: 'admin.pages.preview',
    icon: MonitorPlay,
    group: 'settings',
    load: () => import('./settings/Preview'),
  },
  {
    path: 'settings/site',
    title: 'admin.pages.site',
    icon: LayoutTemplate,
    group: 'settings',
    load: () => import('./settings/Site'),
  },
  {
    path: 'settings/backup',
    title: 'admin.pages.backupSettings',
    icon: DatabaseBackup,
    group: 'settings',
    load: () => import('./settings/Backup'),
  },
  {
    path: 'visits',
    title: 'admin.pages.visits',
    icon: Footprints,
    group: 'system',
    load: () => import('./visits'),
    areas: ['ops', 'visits'],
  },
  {
    path: 'tasks',
    title: 'admin.pages.tasks',
    icon: ListTodo,
    group: 'system',
    load: () => import('./tasks'),
    areas: ['ops'],
  },
  {
    path: 'notifications',
    title: 'admin.pages.notifications',
    icon: BellRing,
    group: 'system',
    load: () => import('./channels'),
    form: () => import('./channels/ChannelForm'),
    areas: ['channels'],
  },
  {
    path: 'audit',
    title: 'admin.pages.audit',
    icon: ScrollText,
    group: 'system',
    load: () => import('./audit'),
    areas: ['ops'],
  },
  {
    path: 'doctor',
    title: 'admin.pages.doctor',
    icon: Stethoscope,
    group: 'system',
    load: () => import('./doctor'),
    areas: ['ops'],
  },
  {
    path: 'reconcile',
    title: 'admin.pages.reconcile',
    icon: ScanSearch,
    group: 'system',
    load: () => import('./reconcile'),
    areas: ['ops'],
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
