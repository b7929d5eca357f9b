import {
  FileText,
  FolderTree,
  HardDrive,
  KeyRound,
  Plus,
  Share2,
  SlidersHorizontal,
  type LucideIcon,
} from 'lucide-react';
import type { SettingRow } from '../../api/admin/system';
import type { SharedItem } from '../../api/admin/operations';
import type { Session } from '../../auth/session';
import type { Translate } from '../../i18n';
import { listLink } from '../list/listLink';
import { usablePages } from '../pages';
import { settingsPages } from '../settings/groups';

/** A Destination is a place of the panel that one can go to by name. */
export interface Destination {
  key: string;
  kind: 'page' | 'make' | 'key' | 'storage' | 'mount' | 'share' | 'setting';
  label: string;
  /** note tells it from others of the same name, and is searched, too. */
  note?: string;
  /** found says that the server has found it by what was typed, whatever its label is. */
  found?: boolean;
  to: string;
  icon: LucideIcon;
}

/** What was read for the palette so far. */
interface Read {
  sources?:
    | {
        keys: readonly { id: string; name: string }[];
        storages: readonly { id: string; name: string }[];
        mounts: readonly { id: string; name: string; mount_path: string }[];
      }
    | undefined;
  /** settings are all of them by the numbers of their groups. */
  settings?: Record<string, readonly SettingRow[]> | undefined;
  shares?: readonly SharedItem[] | undefined;
}

const forms = [
  { path: 'key-management', label: 'admin.keys.create' },
  { path: 'mount-management', label: 'admin.mounts.create' },
  { path: 'storage-config', label: 'admin.storage.create' },
];

/** destinations are all places that a session may go to. */
export function destinations(
  t: Translate,
  session: Session,
  { sources, settings, shares }: Read,
): Destination[] {
  const usable = usablePages(session);
  const title = (path: string) =>
    t(usable.find((page) => page.path === path)?.title ?? 'admin.pages.dashboard');
  const record = (
    kind: 'key' | 'storage' | 'mount',
    path: string,
    icon: LucideIcon,
    { id, name }: { id: string; name: string },
    note = '',
  ): Destination => ({ key: `${kind} ${id}`, kind, label: name, note, to: `/admin/${path}/${id}`, icon });
  return [
    ...usable.map(({ path, title: name, icon }): Destination => ({
      key: `page ${path}`,
      kind: 'page',
      label: t(name),
      to: `/admin${path && `/${path}`}`,
      icon,
    })),
    ...forms
      .filter(({ path }) => usable.some((page) => page.path === path))
      .map(({ path, label }): Destination => ({
        key: `make ${path}`,
        kind: 'make',
        label: t(label),
        to: `/admin/${path}/create`,
        icon: Plus,
      })),
    ...(sources?.keys ?? []).map((key) => record('key', 'key-management', KeyRound, key)),
    ...(sources?.storages ?? []).map((one) => record('storage', 'storage-config', HardDrive, one)),
    ...(sources?.mounts ?? []).map((one) =>
      record('mount', 'mount-management', FolderTree, one, one.mount_path),
    ),
    ...(shares ?? []).map(({ kind, id, slug, name }): Destination => ({
      key: `share ${kind} ${id}`,
      kind: 'share',
      label: slug,
      note: name,
      found: true,
      to: listLink('shares', { q: slug }),
      icon: kind === 'paste' ? FileText : Share2,
    })),
    ...Object.entries(settings ?? {}).flatMap(([group, rows]) => {
      const path = settingsPages[group];
      if (!path) return [];
      return rows.map(({ key, description }): Destination => ({
        key: `setting ${key}`,
        kind: 'setting',
        label: description,
        note: title(`settings/${path}`),
        to: `/admin/settings/${path}`,
        icon: SlidersHorizontal,
      }));
    }),
  ];
}

/** Most places of one kind that are offered at once. */
const most = 6;

/**
 * matching are the places that have every word in their name or note, or that the server found; with nothing typed,
 * the pages and the forms.
 */
export function matching(all: readonly Destination[], typed: string): Destination[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return all.filter(({ kind }) => kind === 'page' || kind === 'make');
  const counts = new Map<string, number>();
  return all.filter(({ kind, label, note = '', found = false }) => {
    const text = `${label} ${note}`.toLowerCase();
    if (!found && !words.every((word) => text.includes(word))) return false;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return kind === 'page' || count <= most;
  });
}
