import { apiUrl, isAborted } from '../../api/client';
import { listStorageConfigs } from '../../api/storage';
import { pageUrl } from '../../config';
import type { Translate } from '../../i18n';
import { put, type Mark } from '../../shared/editor/marks';
import { toast } from '../../shared/ui';
import { closeToast } from '../../shared/ui/toasts';
import { uploadErrorText } from '../../shared/uploader/uploadErrorText';
import { shareFile } from '../../shared/uploader/share';
import { isCancelled } from '../../shared/uploader/errors';

/**
 * attach shares files through the upload flow, in the storage that is set as default, and answers the mark that
 * shows or links them in the text; undefined when there is none. What went wrong has been told then.
 */
export async function attach(files: readonly File[], t: Translate): Promise<Mark | undefined> {
  const configs = await listStorageConfigs().catch(() => []);
  const storage = configs.find((config) => config.is_default === 1) ?? configs[0];
  const written: string[] = [];
  for (const file of files) {
    if (!storage) {
      toast.error(t('editor.attaching.failed', { name: file.name, reason: t('editor.attaching.noStorage') }));
      break;
    }
    const slug = await upload(file, storage.id, t);
    if (slug) written.push(markdownFor(file, slug));
  }
  return written.length > 0 ? put(written.join('\n')) : undefined;
}

async function upload(file: File, storage: string, t: Translate): Promise<string> {
  const stop = new AbortController();
  const notice = toast.info(t('editor.attaching.busy', { name: file.name }), {
    lasts: 24 * 60 * 60_000,
    action: { label: t('editor.attaching.cancel'), run: () => stop.abort() },
  });
  try {
    const { slug } = await shareFile(
      file,
      {
        s3_config_id: storage,
        filename: file.name,
        size: file.size,
        mimetype: file.type || 'application/octet-stream',
      },
      { signal: stop.signal, onStage: () => undefined, onSent: () => undefined },
    );
    toast.success(t('editor.attaching.done', { name: file.name }));
    return slug;
  } catch (error) {
    if (!isAborted(error) && !isCancelled(error)) {
      const reason = uploadErrorText(error, t);
      toast.error(t('editor.attaching.failed', { name: file.name, reason }));
    }
    return '';
  } finally {
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
