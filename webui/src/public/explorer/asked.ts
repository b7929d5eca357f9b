import type { Entry, FailedPath } from '../../api/fs';
import type { FileDetail } from '../../api/types';
import type { Sharable } from './ShareDialog';

/** Asked is the dialog that stands open, with what it is about. */
export type Asked =
  | { kind: 'link'; entry: Entry }
  | { kind: 'share' | 'shares'; entry: Sharable }
  | { kind: 'shareAll'; entries: readonly [Sharable, ...Sharable[]] }
  | { kind: 'editShare'; file: FileDetail }
  | { kind: 'copy' | 'move'; entries: readonly Entry[] }
  | { kind: 'facts' | 'request' | 'versions'; entry: Entry }
  | { kind: 'failed'; failed: readonly FailedPath[] }
  | { kind: 'upload' | 'search' | 'tasks' | 'basket' | 'view' };
