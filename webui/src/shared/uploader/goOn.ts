import { adopt, type Begun } from './begun';
import { isSame, type Destination, type Transfer } from './queue';
import { shareInParts } from './shareParts';
import { sendToRequest } from './sendToRequest';
import { sendToMount } from './transfers';
import { uploads, type Arrived } from './uploads';

const transfers: Record<Destination, Transfer<Arrived>> = {
  share: ({ file }, _, hooks) => shareInParts(file, undefined, hooks),
  mount: sendToMount(),
  request: sendToRequest,
};

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
  uploads.start(transfers[to], [item.id]);
}
