import { adopt, type Begun } from './begun';
import { isSame, type Transfer } from './queue';
import { shareInParts } from './shareParts';
import { sendToRequest } from './sendToRequest';
import { sendToMount } from './transfers';
import { uploads, type Arrived } from './uploads';

/** transferTo is how a file goes on that is on its way there. */
function transferTo(to: Begun['to']): Transfer<Arrived> {
  if (to === 'request') return sendToRequest;
  if (to === 'mount') return sendToMount();
  return ({ file }, _, hooks) => shareInParts(file, undefined, hooks);
}

/** goOn sends the rest of a file that was begun before a reload, as it was begun; the caller has proven that it is the same file. */
export function goOn(file: File, begun: Begun): void {
  const { to, folder, name } = begun;
  const chosen = { file, to, folder };
  const itemOf = () => uploads.get().items.find((one) => one.to === to && one.file === file);
  if (uploads.add([chosen]).length > 0) {
    for (const one of uploads.get().items)
      if (one.to === to && one.folder === folder && isSame(one.file, file)) uploads.remove(one.id);
    uploads.add([chosen]);
  }
  const item = itemOf();
  if (!item) return; // it is being sent already
  adopt(file, begun);
  uploads.rename(item.id, name);
  uploads.start(transferTo(to), [item.id]);
}
