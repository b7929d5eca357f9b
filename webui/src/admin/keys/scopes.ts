import type { Key } from '../../api/admin/keys';
import { namesOf, permissions, type Permission } from '../../auth/permissions';
import type { Language, Translate } from '../../i18n';
import { formatTime, parseTime } from '../../shared/format';
import { pathBits } from './bits';
import { neverEnds } from './expiry';

/** sentenceOf says in one sentence what a key may do, where, and until when. */
export function sentenceOf(
  key: Pick<Key, 'permissions' | 'basic_path' | 'expires_at'>,
  t: Translate,
  language: Language,
): string {
  const names = namesOf(key.permissions);
  if (names.length === 0) return t('admin.keys.scope.nothing');
  const list = new Intl.ListFormat(language, { type: 'conjunction' });
  const say = (name: Permission) => t(`admin.keys.scope.can.${name}`);
  const inFolders = names.filter((name) => (permissions[name] & pathBits) !== 0);
  const parts = names.filter((name) => !inFolders.includes(name)).map(say);
  if (inFolders.length > 0) {
    const what = list.format(inFolders.map(say));
    parts.push(
      key.basic_path === '/'
        ? t('admin.keys.scope.everywhere', { what })
        : t('admin.keys.scope.below', { what, path: key.basic_path }),
    );
  }
  const what = list.format(parts);
  if (neverEnds(key.expires_at)) return t('admin.keys.scope.always', { what });
  return t('admin.keys.scope.until', { what, until: formatTime(parseTime(key.expires_at), language) });
}
