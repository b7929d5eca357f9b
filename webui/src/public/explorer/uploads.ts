import { authEvents } from '../../api/credentials';
import { session } from '../../auth/session';
import {
  UploadQueue,
  uploadToMount,
  type MountTarget,
  type Transfer,
  type UploadMethod,
} from '../../shared/uploader';

/**
 * uploads is this tab's list of files on their way into mounts. A file's
 * `folder` is the whole path of the folder it goes to. The list outlives the
 * page, so that a transfer goes on while its owner walks through the folders.
 */
export const uploads = new UploadQueue<MountTarget>();

/** ways are how single files are sent, where somebody has chosen that, by the id of the file. */
export const ways = new Map<number, { method?: UploadMethod; resume?: string | undefined }>();

/** refusals remembers whether a storage has let this page in; its administrators are told. */
export const refusals = { seen: false };

/** send moves a file to the folder it was put on the list for. */
export const send: Transfer<MountTarget> = (item, _, hooks) =>
  uploadToMount(
    item.file,
    { folder: item.folder, name: item.name, ...ways.get(item.id) },
    { ...hooks, onRefused: () => (refusals.seen = true) },
  );

addEventListener('beforeunload', (event) => {
  if (uploads.get().totals.active) event.preventDefault();
});

// Whose files these were is nobody's business after sign-out.
addEventListener(authEvents.changed, () => {
  if (session().kind !== 'none') return;
  uploads.reset();
  ways.clear();
});
