import type { Entry } from '../../api/fs';
import type { Translate } from '../../i18n';
import { kindName } from '../../shared/preview/KindIcon';
import { kindOf } from './entries';

/** kindWord says what an entry is: a folder, or a kind of file with its ending. */
export const kindWord = (entry: Entry, t: Translate): string =>
  entry.isDirectory ? t(`explorer.kinds.${entry.isMount ? 'mount' : 'folder'}`) : kindName(kindOf(entry), t);
