import { cancelFile, completeFile, resumeFile, type Announced } from '../../api/requests';
import { visitOf } from './visit';

/** Sent is a file on its way to a request: the request's slug, and the file's id. */
interface Sent {
  folder: string;
  upload_id: string;
}

const where = ({ folder, upload_id }: Sent) => [folder, visitOf(folder).secret, upload_id] as const;

/** arrivedOf are the parts without a link: of a file that is joined or stored all of them. */
function arrivedOf({ size, part_size, part_count, links }: Announced) {
  const missing = new Set(links.map(({ partNumber }) => partNumber));
  return Array.from({ length: part_count }, (_, index) => ({
    partNumber: index + 1,
    // The server asks the storage itself; nobody needs the tags.
    etag: '-',
    size: Math.min(part_size, size - index * part_size),
  })).filter(({ partNumber }) => !missing.has(partNumber));
}

/** requestParts are the calls about a file that goes to a request in parts, for who has a visit to it. */
export const requestParts = {
  list: async (sent: Sent, signal?: AbortSignal) => ({
    parts: arrivedOf(await resumeFile(...where(sent), signal)),
  }),
  refresh: async (sent: Sent, _: number[], signal?: AbortSignal) => ({
    presigned_urls: (await resumeFile(...where(sent), signal)).links,
  }),
  complete: (sent: Sent, signal?: AbortSignal) => completeFile(...where(sent), signal),
  abort: (sent: Sent) => cancelFile(...where(sent)),
};
