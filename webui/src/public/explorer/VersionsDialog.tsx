import { keepFileRevisions, listFileRevisions, readFileRevision, restoreFileRevision } from '../../api/fs';
import { language } from '../../i18n';
import { decode, detectEncoding } from '../../shared/preview/encoding';
import type { Source } from '../../shared/query/revisions';
import { Revisions } from '../../shared/revisions/Revisions';
import { readText } from './edit/textFile';
import { nameOf } from './place';

interface VersionsDialogProps {
  /** path of the file. */
  path: string;
  /** onRestored is called when an earlier version came back. */
  onRestored: () => void;
  onClose: () => void;
}

/** VersionsDialog shows who may edit a file its earlier versions, what has changed since, and brings one back. */
export default function VersionsDialog({ path, ...props }: VersionsDialogProps) {
  return <Revisions source={fileSource(path)} name={nameOf(path)} {...props} />;
}

const fileSource = (path: string): Source => ({
  of: 'file',
  id: path,
  history: (signal) => listFileRevisions(path, signal),
  present: (signal) => readText(path, language(), signal),
  revision: async (version, signal) => {
    const blob = await readFileRevision(path, version, signal);
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return decode(bytes, detectEncoding(bytes, language()));
  },
  bytes: (version) => readFileRevision(path, version),
  restore: (version, etag) => restoreFileRevision(path, version, etag),
  keep: (keep) => keepFileRevisions(path, keep),
});
