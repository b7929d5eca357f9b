import type { Entry } from '../../api/fs';
import type { Translate } from '../../i18n';
import { extensionOf } from '../../shared/preview/kind';
import { signOf } from '../../shared/preview/KindIcon';
import { kindOf } from './entries';

/** kindWord says what an entry is: a folder, or a kind of file with its ending. */
export function kindWord(entry: Entry, t: Translate): string {
  if (entry.isDirectory) return t(`explorer.kinds.${entry.isMount ? 'mount' : 'folder'}`);
  const kind = t(`explorer.kinds.${signOf(kindOf(entry))}`);
  const ending = extensionOf(entry.name);
  return ending.length > 0 && ending.length <= 5 ? `${kind} (${ending.toUpperCase()})` : kind;
}
