import type { KindOf } from './kind';

/** Source is an address and the headers that a script sends to it. */
export interface Source {
  url: string;
  headers?: Record<string, string>;
}

/** PreviewedFile is a file with the addresses of its bytes, which are used as they are. */
export interface PreviewedFile extends KindOf {
  /** bytes */
  size: number;
  /** offered says that the page around has a download of its own, and once is enough. */
  offered?: boolean;
  /** Shows the file in the page. */
  viewUrl: string;
  /** The same bytes from this server, for reading them by script. */
  readUrl: string;
  downloadUrl: string;
  /** Where a script reads the bytes when that needs headers of its own; readUrl otherwise. */
  script?: Source;
  /** Asks for an address where others can fetch the file for some minutes; absent when there is none. */
  lend?: (signal: AbortSignal) => Promise<string>;
}

/** Around is the folder that a file lies in. */
export interface Around {
  /** The files of the folder, in the order they are listed in. */
  names: readonly string[];
  /** The bytes of one of them, or of a file below the folder, for a script. */
  source: (name: string) => Source;
  /** One of them with all its addresses. */
  open: (name: string, signal: AbortSignal) => Promise<PreviewedFile>;
}

/** scriptSource is where a script reads a file. */
export const scriptSource = ({ script, readUrl }: PreviewedFile): Source => script ?? { url: readUrl };

/** sourcesOf lists where the bytes come from: as the owner wants it, then through this server. */
export const sourcesOf = (file: PreviewedFile): string[] => [...new Set([file.viewUrl, file.readUrl])];
