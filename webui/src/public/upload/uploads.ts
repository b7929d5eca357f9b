import type { CommittedFile, PresignRequest } from '../../api/types';
import { authEvents } from '../../auth/credentials';
import { session } from '../../auth/session';
import { shareFile, UploadQueue, type Transfer } from '../../shared/uploader';

/**
 * uploads is the list of this tab. It outlives the page, so that a transfer
 * goes on while its owner looks at something else.
 */
export const uploads = new UploadQueue<CommittedFile>();

/** Terms are the settings all files of one run share. */
export type Terms = Omit<PresignRequest, 'filename' | 'size' | 'mimetype'>;

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
