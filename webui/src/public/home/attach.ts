import { apiUrl, isAborted } from '../../api/client';
import { listStorageConfigs } from '../../api/storage';
import type { PresignRequest } from '../../api/types';
import { pageUrl } from '../../config';
import type { Translate } from '../../i18n';
import { put, type Mark } from '../../shared/editor/marks';
import { toast } from '../../shared/ui';
import { closeToast, retellToast } from '../../shared/ui/toasts';
import { reasonToStay } from '../../shared/unsaved';
import { uploadErrorText } from '../../shared/uploader/uploadErrorText';
import { shareFile } from '../../shared/uploader/share';
import { isCancelled, isPaused, pausing } from '../../shared/uploader/errors';
import { keepAwake } from '../../shared/uploader/keepAwake';
import { inPartsFrom } from '../../shared/uploader/parts';
import { begunOf, discardBegun } from '../../shared/uploader/begun';
import { shareInParts } from '../../shared/uploader/shareParts';

// Until it is closed by the upload itself.
const lasts = 24 * 60 * 60_000;

/** insert puts a mark into the text; the editor of that moment is asked. */
type Insert = (mark: Mark) => void;

/**
 * attach shares files through the upload flow, in the storage that is set as default, and inserts the marks that
 * show or link them in the text. Large files go in parts: they can be paused, and what a lost line has interrupted
 * goes on. What went wrong is told.
 */
export async function attach(files: readonly File[], t: Translate, insert: Insert): Promise<void> {
  const configs = await listStorageConfigs().catch(() => []);
  const storage = configs.find((config) => config.is_default === 1) ?? configs[0];
  const written: string[] = [];
  for (const file of files) {
    if (!storage) {
      toast.error(t('editor.attaching.failed', { name: file.name, reason: t('editor.attaching.noStorage') }));
      break;
    }
    const request = {
      s3_config_id: storage.id,
      filename: file.name,
      size: file.size,
      mimetype: file.type || 'application/octet-stream',
    };
    const slug = await upload(file, request, t, insert);
    if (slug) written.push(markdownFor(file, slug));
  }
  if (written.length > 0) insert(put(written.join('\n')));
}

/** upload answers the link of the share; "" when there is none now, for which the person has been told what can be done. */
async function upload(file: File, request: PresignRequest, t: Translate, insert: Insert): Promise<string> {
  const { name } = file;
  const stop = new AbortController();
  const inParts = file.size >= inPartsFrom;
  const cancel = { label: t('editor.attaching.cancel'), run: () => stop.abort() };
  const notice = toast.info(t('editor.attaching.busy', { name }), {
    lasts,
    ...(inParts
      ? { action: { label: t('editor.attaching.pause'), run: () => stop.abort(pausing) }, other: cancel }
      : { action: cancel }),
  });
  let quarter = 0;
  const hooks = {
    signal: stop.signal,
    onStage: () => undefined,
    onSent(sent: number) {
      const now = Math.floor((sent / file.size) * 4);
      if (now <= quarter) return;
      quarter = now;
      retellToast(notice, t('editor.attaching.percent', { name, percent: now * 25 }));
    },
  };
  const goOn = async () => {
    const slug = await upload(file, request, t, insert);
    if (slug) insert(put(markdownFor(file, slug)));
  };
  const again = { label: t('editor.attaching.goOn'), run: () => void goOn() };
  const rest = keepAwake();
  const leave = reasonToStay({ holds: () => true });
  try {
    const { slug } = await (inParts ? shareInParts(file, request, hooks) : shareFile(file, request, hooks));
    toast.success(t('editor.attaching.done', { name }));
    return slug;
  } catch (error) {
    if (isPaused(stop.signal)) {
      const begun = begunOf(file);
      const drop = () => void (begun && discardBegun(begun, file).catch(() => undefined));
      toast.info(t('editor.attaching.paused', { name }), {
        lasts,
        action: again,
        other: { ...cancel, run: drop },
      });
    } else if (!isAborted(error) && !isCancelled(error)) {
      const reason = uploadErrorText(error, t);
      toast.error(t('editor.attaching.failed', { name, reason }), { action: again });
    }
    return '';
  } finally {
    rest();
    leave();
    closeToast(notice);
  }
}

/** markdownFor shows pictures, films and sounds in the text, and links everything else. */
export function markdownFor(file: { name: string; type: string }, slug: string): string {
  const name = file.name.replace(/[[\]\\]/g, '\\$&');
  if (!/^(?:image|video|audio)\//.test(file.type)) return `[${name}](${pageUrl(`/file/${slug}`)})`;
  const address = new URL(apiUrl(`/file-view/${encodeURIComponent(slug)}`), location.href).href;
  // The name behind # tells the reader's page whether this is a film, a sound or a picture.
  return `![${name}](${address}#${encodeURIComponent(file.name)})`;
}
