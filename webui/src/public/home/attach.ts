import { apiUrl } from '../../api/client';
import { pageUrl } from '../../config';
import type { Translate } from '../../i18n';
import { put } from '../../shared/editor/marks';
import { toast } from '../../shared/ui';
import { closeToast, retellToast } from '../../shared/ui/toasts';
import { percentOf } from '../../shared/uploader/queue';
import { shareUnder, usualStorage } from '../../shared/uploader/transfers';
import { uploadErrorText } from '../../shared/uploader/uploadErrorText';
import { canPause, shareOf, stopUpload, uploads, type Upload } from '../../shared/uploader/uploads';
import { field } from './tray';

// Until what it says has changed.
const lasts = 24 * 60 * 60_000;

/**
 * attach shares files by this tab's list of uploads, in the storage that was used last, else the default, and inserts
 * the marks that show or link them in the text. How far each is is told, with what can be done. What arrives while Home
 * is not there stays on the list as a share.
 */
export async function attach(files: readonly File[], t: Translate): Promise<void> {
  const failed = (reason: string) =>
    files.forEach(({ name }) => toast.error(t('editor.attaching.failed', { name, reason })));
  try {
    const storage = await usualStorage();
    if (!storage) return failed(t('editor.attaching.noStorage'));
    const twice = uploads.add(files.map((file) => ({ file, to: 'text' })));
    for (const { name } of twice) toast.info(t('homeMore.files.twice', { name }));
    const own = uploads.get().items.filter(({ file, to }) => to === 'text' && files.includes(file));
    const ids = own.flatMap(({ id, status, queued }) => (status === 'pending' && !queued ? [id] : []));
    uploads.start(shareUnder({ s3_config_id: storage.id }), ids);
    follow(ids, t);
  } catch (error) {
    failed(uploadErrorText(error, t));
  }
}

/** follow tells how far uploads are, and takes those off the list that have arrived, to insert their marks in their order. */
function follow(ids: readonly number[], t: Translate): void {
  const left = new Set(ids);
  const notices = new Map<number, { state: string; text: string; toast: number | undefined }>();
  const look = () => {
    const items = uploads.get().items.filter(({ id }) => left.has(id));
    for (const id of left) {
      const item = items.find((one) => one.id === id);
      const said = notices.get(id);
      const state = item ? stateOf(item) : 'gone';
      const text = item && state === 'uploading' ? busyText(item, t) : '';
      if (said?.state === state) {
        if (said.toast && said.text !== text) retellToast(said.toast, text);
        said.text = text;
        continue;
      }
      if (said?.toast) closeToast(said.toast);
      if (item && state !== 'cancelled') notices.set(id, { state, text, toast: tell(item, t) });
      else left.delete(id);
    }
    const busy = items.some((item) => stateOf(item) === 'uploading');
    const done = busy ? [] : items.filter(({ status }) => status === 'success');
    done.forEach(({ id }) => left.delete(id));
    if (left.size === 0) leave();
    const editor = field.get();
    for (const { id, name, status } of items) {
      if (left.has(id)) continue;
      if (editor || status !== 'success') uploads.remove(id);
      else {
        uploads.become(id, 'share');
        toast.info(t('editor.attaching.apart', { name }), { lasts });
      }
    }
    if (!editor) return;
    const marks = done.flatMap((item) => {
      const share = shareOf(item);
      return share ? [markdownFor(item.file, share.slug)] : [];
    });
    if (marks.length > 0) editor.apply(put(marks.join('\n')));
    for (const { name } of done) toast.success(t('editor.attaching.done', { name }));
  };
  const leave = uploads.subscribe(look);
  look();
}

/** stateOf is the same while a file is sent and while it waits for that. */
const stateOf = ({ status }: Upload) => (status === 'pending' ? 'uploading' : status);

/** busyText tells how far a file is, in quarters: who has it read aloud is not told all the time. */
function busyText({ name, sent, file }: Upload, t: Translate): string {
  const percent = sent > 0 ? Math.floor(percentOf(sent, file.size) / 25) * 25 : 0;
  return percent > 0
    ? t('editor.attaching.percent', { name, percent })
    : t('editor.attaching.busy', { name });
}

/** tell says how a file stands; of one that has arrived when its mark is in the text. */
function tell(item: Upload, t: Translate): number | undefined {
  const { id, name, status, error } = item;
  const again = { label: t('editor.attaching.goOn'), run: () => uploads.retry(id) };
  const cancel = { label: t('editor.attaching.cancel'), run: () => stopUpload(id) };
  if (status === 'success') return undefined;
  if (status === 'error' || status === 'unregistered') {
    const reason = uploadErrorText(error, t);
    return toast.error(t('editor.attaching.failed', { name, reason }), { action: again });
  }
  if (status === 'paused') {
    const resume = { ...again, run: () => uploads.resume(id) };
    return toast.info(t('editor.attaching.paused', { name }), { lasts, action: resume, other: cancel });
  }
  const pause = { label: t('editor.attaching.pause'), run: () => uploads.pause(id) };
  const text = busyText(item, t);
  return toast.info(
    text,
    canPause(item) ? { lasts, action: pause, other: cancel } : { lasts, action: cancel },
  );
}

/** markdownFor shows pictures, films and sounds in the text, and links everything else. */
export function markdownFor(file: { name: string; type: string }, slug: string): string {
  const name = file.name.replace(/[[\]\\]/g, '\\$&');
  if (!/^(?:image|video|audio)\//.test(file.type)) return `[${name}](${pageUrl(`/file/${slug}`)})`;
  const address = new URL(apiUrl(`/file-view/${encodeURIComponent(slug)}`), location.href).href;
  // The name behind # tells the reader's page whether this is a film, a sound or a picture.
  return `![${name}](${address}#${encodeURIComponent(file.name)})`;
}
