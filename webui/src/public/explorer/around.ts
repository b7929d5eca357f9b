import { authHeaders } from '../../api/client';
import { bytesUrl, fileLink, getEntry, type EntryFacts } from '../../api/fs';
import type { Around, PreviewedFile } from '../../shared/preview';
import { join } from './place';

/** previewed is a file of a mount as the previews want it. */
export function previewed(facts: EntryFacts, path: string): PreviewedFile {
  return {
    filename: facts.name,
    mimetype: facts.contentType,
    type: facts.type,
    size: facts.size,
    viewUrl: facts.preview_url ?? '',
    readUrl: facts.preview_url ?? '',
    downloadUrl: facts.download_url ?? '',
    script: { url: bytesUrl(path), headers: authHeaders() },
    lend: async (signal) => {
      const link = await fileLink(path, { download: false, expiresIn: lentFor }, signal);
      return new URL(link.presignedUrl, location.href).href;
    },
  };
}

/** Seconds for which a viewer of another site may fetch a file. */
const lentFor = 600;

/** aroundOf is the folder as the previews want it: the files beside the one that is shown. */
export function aroundOf(folder: string, names: readonly string[]): Around {
  return {
    names,
    source: (name) => ({ url: bytesUrl(join(folder, name)), headers: authHeaders() }),
    open: async (name, signal) => {
      const path = join(folder, name);
      return previewed(await getEntry(path, signal), path);
    },
  };
}
