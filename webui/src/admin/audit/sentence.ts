import type { AuditEntry } from '../../api/admin/operations';
import { hasMessage, type Language, type Translate } from '../../i18n';
import { formatTime, parseTime } from '../../shared/format';
import type { Fields } from '../form/fields';
import { keyFields } from '../keys/fields';
import { mountFields } from '../mounts/fields';
import { settingsPages } from '../settings/groups';
import { storageFields } from '../storage/fields';

/** A Piece of a sentence: words, or something with a name, which may have a page. */
type Piece = string | { text: string; to?: string | undefined };

interface Named {
  id: string;
  name: string;
}

/** Known are the records that there are, by which a name is found and a link is known to lead somewhere. */
export interface Known {
  keys: readonly Named[];
  storages: readonly Named[];
  mounts: readonly Named[];
  requests?: readonly Named[];
  channels?: readonly Named[];
}

interface Speech {
  t: Translate;
  language: Language;
  known?: Known | undefined;
}

const pages = {
  key: { path: 'key-management', list: 'keys' },
  storage: { path: 'storage-config', list: 'storages' },
  mount: { path: 'mount-management', list: 'mounts' },
  request: { path: 'requests', list: 'requests' },
  channel: { path: 'notifications', list: 'channels' },
} as const;

const nounOf = (action: string) => action.split('.')[0] ?? '';

type Details = Record<string, unknown>;
const detailsOf = ({ details }: AuditEntry): Details =>
  details && typeof details === 'object' ? (details as Details) : {};

/** messageOf is the key of the sentence for what was done; on the command line, "key" is the master key. */
function messageOf({ type, action, outcome }: AuditEntry): string {
  if (outcome === 'failed') {
    const tried = `ops.audit.tried.${nounOf(action)}`;
    if (hasMessage(tried)) return tried;
  }
  const did = `ops.audit.did.${type === 'system' && action === 'key.rotate' ? 'master.rotate' : action}`;
  return hasMessage(did) ? did : 'ops.audit.other';
}

/** recordAt is a record with its page, if it is still there. */
function recordAt(noun: keyof typeof pages, id: string, noted: string, { known }: Speech): Piece {
  const { path, list } = pages[noun];
  const there = known?.[list]?.find((one) => one.id === id);
  return { text: noted || there?.name || id, to: there && `/admin/${path}/${id}` };
}

function actorOf(entry: AuditEntry, speech: Speech): Piece {
  const { type, actor, name } = entry;
  const { t } = speech;
  if (type === 'admin') return t('ops.audit.who.admin');
  if (type === 'system') return t(name === 'server' ? 'ops.audit.who.server' : 'ops.audit.who.command');
  if (type !== 'apikey') return t('ops.audit.who.visitor');
  const { to } = recordAt('key', actor, name, speech) as { to?: string };
  return { text: t('ops.audit.who.key', { name: name || actor }), to };
}

/** titleOf is the title that a request for files had. */
function titleOf(entry: AuditEntry): string {
  const { title, before } = detailsOf(entry);
  return String(title ?? (before as Details | undefined)?.title ?? '');
}

/** targetOf is what it was done to; targets of records are their ids, and their names behind them. */
function targetOf(entry: AuditEntry, speech: Speech): Piece {
  const { action, target } = entry;
  const { t, language } = speech;
  const noun = nounOf(action);
  if (noun in pages) {
    const [id = '', ...name] = target.split(' ');
    return recordAt(noun as keyof typeof pages, id, name.join(' ') || titleOf(entry), speech);
  }
  if (noun === 'setting' && settingsPages[target])
    return {
      text: t(`admin.pages.${settingsPages[target]}`),
      to: `/admin/settings/${settingsPages[target]}`,
    };
  if (action === 'backup.restore' && !Number.isNaN(Date.parse(target)))
    return { text: formatTime(parseTime(target), language) };
  const named = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12} (.+)$/.exec(target);
  return { text: named?.[1] ?? (target || action) };
}

/** plain makes values alike that the server writes in several ways. */
function plain(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (value === '' || value === undefined) return null;
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : value;
}

const hidden = '********';

/** changed are the names of the fields that another value was given; of secrets, each that was sent. */
function changed(details: Details): string[] {
  const before = (details.before ?? {}) as Details;
  return Object.keys(details).filter(
    (name) =>
      name !== 'before' &&
      (details[name] === hidden ||
        JSON.stringify(plain(details[name])) !== JSON.stringify(plain(before[name]))),
  );
}

/** labelOf is what a field is called in the form of its record; within a sentence it begins small. */
function labelOf(noun: string, name: string, { t, language }: Speech): string {
  const fields: Record<string, () => Fields<never>> = {
    key: () => keyFields(t, language) as Fields<never>,
    storage: () => storageFields(t, language) as Fields<never>,
    mount: () => mountFields(t, []) as Fields<never>,
  };
  const found = Object.entries(fields[noun]?.() ?? {}).find(
    ([source, field]) => source === name || field.of === name || field.also === name,
  );
  const more = `ops.audit.field.${name}`;
  const label = found?.[1].label ?? (hasMessage(more) ? t(more) : name);
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

/** Most things that a sentence lists one by one. */
const most = 4;

/** listOf is what the sentence goes on with behind a colon: the fields that were changed, or what was deleted. */
function listOf(entry: AuditEntry, speech: Speech): string {
  const details = detailsOf(entry);
  const noun = nounOf(entry.action);
  const all =
    entry.action.endsWith('.update') && noun in pages && !['request', 'channel'].includes(noun)
      ? changed(details).map((name) => labelOf(noun, name, speech))
      : Array.isArray(details.paths)
        ? details.paths.map(String)
        : [];
  const shown = all.length > most ? [...all.slice(0, most - 1), `+${all.length - most + 1}`] : all;
  return shown.join(speech.t('ops.audit.separator'));
}

/** countOf is how many things it was done to. */
function countOf(entry: AuditEntry): number {
  const { ids, items, paths } = detailsOf(entry);
  return [ids, items, paths].find((list) => Array.isArray(list))?.length ?? 1;
}

// Places of a message that are filled with more than words stand between these.
const mark = '\u0000';

/** sentence tells an entry of the audit log in words. */
export function sentence(entry: AuditEntry, speech: Speech): Piece[] {
  const { t } = speech;
  const places: Record<string, Piece> = { who: actorOf(entry, speech), name: targetOf(entry, speech) };
  let text = t(messageOf(entry), {
    who: `${mark}who${mark}`,
    name: `${mark}name${mark}`,
    smart_count: countOf(entry),
  });
  const list = listOf(entry, speech);
  if (list) text = t('ops.audit.listed', { what: text, list });
  return text.split(mark).map((piece, at) => (at % 2 ? (places[piece] ?? piece) : piece));
}

/** inWords is the sentence without links. */
export const inWords = (entry: AuditEntry, speech: Speech): string =>
  sentence(entry, speech)
    .map((piece) => (typeof piece === 'string' ? piece : piece.text))
    .join('');
