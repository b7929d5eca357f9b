import type { Translate } from '../../i18n';
import { extensionOf, type KindOf } from './kind';
import { signOf } from './KindIcon';

/** kindName says what a file is, with its ending: "Image (PNG)". */
export function kindName(file: KindOf, t: Translate): string {
  const kind = t(`common.kinds.${signOf(file)}`);
  const ending = extensionOf(file.filename);
  return ending.length > 0 && ending.length <= 5 ? `${kind} (${ending.toUpperCase()})` : kind;
}
