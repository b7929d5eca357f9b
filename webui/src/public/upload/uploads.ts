import type { CommittedFile, PresignRequest } from '../../api/types';
import { authEvents } from '../../auth/credentials';
import { session } from '../../auth/session';
import { expiresInHours, maxViewsOf, type ShareValues } from '../../shared/shareform';
import { shareFile, UploadQueue, type Transfer } from '../../shared/uploader';
import type { Placement } from './usePlacement';

/**
 * uploads is the list of this tab. It outlives the page, so that a transfer
 * goes on while its owner looks at something else.
 */
export const uploads = new UploadQueue<CommittedFile>();

/** Terms are the settings all files of one run share. */
export type Terms = Omit<PresignRequest, 'filename' | 'size' | 'mimetype'>;

/** termsOf reads the forms of the page. */
export function termsOf(values: ShareValues, { config, path, useProxy }: Placement): Terms {
  return {
    s3_config_id: config,
    use_proxy: useProxy,
    expires_in: expiresInHours(values, new Date()),
    max_views: maxViewsOf(values),
    ...(path.trim() && { path: path.trim() }),
    ...(values.slug.trim() && { slug: values.slug.trim() }),
    ...(values.remark.trim() && { remark: values.remark.trim() }),
    ...(values.password && { password: values.password }),
  };
}

/** transferWith moves files under these terms. A custom link becomes a prefix when there are several. */
export function transferWith(terms: Terms): Transfer<CommittedFile> {
  return (item, { index, count }, hooks) => {
    const folders = [terms.path ?? '', item.folder].filter(Boolean);
    return shareFile(
      item.file,
      {
        ...terms,
        filename: item.name,
        size: item.file.size,
        mimetype: typeOf(item.name, item.file.type),
        ...(folders.length > 0 && { path: folders.join('/') }),
        ...(terms.slug && { slug: count > 1 ? `${terms.slug}-${index + 1}` : terms.slug }),
      },
      hooks,
    );
  };
}

/** typeOf is the media type sent for a file (§5): Markdown by its extension, else what the browser says. */
export function typeOf(name: string, type: string): string {
  if (/\.(?:md|markdown|mdown|mkd|mdwn|mdtxt|mdtext|rmd)$/i.test(name)) return 'text/markdown';
  return type || 'application/octet-stream';
}

addEventListener('beforeunload', (event) => {
  if (uploads.snapshot().totals.active) event.preventDefault();
});

// Whose files these were is nobody's business after sign-out.
addEventListener(authEvents.changed, () => {
  if (session().kind === 'none') uploads.reset();
});
