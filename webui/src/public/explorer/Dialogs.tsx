import { Suspense } from 'react';
import type { Listing } from '../../api/fs';
import type { Asked } from './asked';
import { unmarked, type Marks } from './useMarks';
import { lazyPart } from '../../shared/lazyPart';

const LinkDialog = lazyPart(() => import('./LinkDialog'), 'explorerDialogs');
const SharesDialog = lazyPart(() => import('./SharesDialog'), 'shareBox');
const EditFile = lazyPart(() => import('../../shared/shareform/EditFile'), 'shareEdit', 'share');
const ShareDialog = lazyPart(() => import('./ShareDialog'), 'share', 'shareBox');
const TargetDialog = lazyPart(() => import('./TargetDialog'));
const FactsDialog = lazyPart(() => import('./FactsDialog'), 'explorerDialogs');
const RequestDialog = lazyPart(() => import('./RequestDialog'), 'requests');
const FailedDialog = lazyPart(() => import('./FailedDialog'));
const UploadDialog = lazyPart(() => import('./UploadDialog'), 'explorerDialogs', 'file');
const SearchDialog = lazyPart(() => import('./SearchDialog'), 'explorerDialogs');
const TasksDialog = lazyPart(() => import('./TasksDialog'), 'file');
const BasketDialog = lazyPart(() => import('./BasketDialog'), 'explorerDialogs');
const VersionsDialog = lazyPart(() => import('./VersionsDialog'), 'revisions');
const ViewDialog = lazyPart(() => import('./ViewDialog'), 'explorerDialogs');

interface DialogsProps {
  asked: Asked | undefined;
  path: string;
  base: string;
  listing: Listing | undefined;
  marks: Marks;
  /** onShared is called when shares were made, changed or ended. */
  onShared: () => void;
  onClose: () => void;
  onAsk: (asked: Asked) => void;
  /** onChanged is called when a deed has changed what the folder holds. */
  onChanged: () => void;
}

/** Dialogs shows the dialog that was asked for; each is loaded when it is first needed. */
export function Dialogs(props: DialogsProps) {
  const { asked, path, base, listing, marks, onShared, onClose, onAsk, onChanged } = props;
  if (!asked) return null;
  return (
    <Suspense fallback={null}>
      {asked.kind === 'link' && <LinkDialog entry={asked.entry} onClose={onClose} />}
      {asked.kind === 'share' && (
        <ShareDialog entries={[asked.entry]} onShared={onShared} onClose={onClose} />
      )}
      {asked.kind === 'shareAll' && (
        <ShareDialog entries={asked.entries} onShared={onShared} onClose={onClose} />
      )}
      {asked.kind === 'shares' && (
        <SharesDialog
          entry={asked.entry}
          marks={marks.get(asked.entry.path === path ? '' : asked.entry.name) ?? unmarked}
          onAnother={() => onAsk({ kind: 'share', entry: asked.entry })}
          onChanged={onShared}
          onClose={onClose}
        />
      )}
      {asked.kind === 'editShare' && (
        <EditFile
          file={asked.file}
          hasPassword={asked.file.has_password}
          onClose={onClose}
          onRestored={() => {
            onShared();
            onClose();
          }}
          onSaved={() => {
            onShared();
            onClose();
          }}
        />
      )}
      {(asked.kind === 'copy' || asked.kind === 'move') && (
        <TargetDialog
          deed={asked.kind}
          entries={asked.entries}
          from={path}
          base={base}
          onClose={onClose}
          onChanged={onChanged}
        />
      )}
      {asked.kind === 'facts' && <FactsDialog entry={asked.entry} marks={marks} onClose={onClose} />}
      {asked.kind === 'versions' && (
        <VersionsDialog
          path={asked.entry.path}
          onRestored={() => {
            onChanged();
            onClose();
          }}
          onClose={onClose}
        />
      )}
      {asked.kind === 'request' && <RequestDialog entry={asked.entry} onClose={onClose} />}
      {asked.kind === 'failed' && <FailedDialog failed={asked.failed} onClose={onClose} />}
      {asked.kind === 'upload' && <UploadDialog path={path} taken={listing?.items ?? []} onClose={onClose} />}
      {asked.kind === 'search' && (
        <SearchDialog path={path} mount={listing?.mount_id} base={base} onClose={onClose} onAsk={onAsk} />
      )}
      {asked.kind === 'tasks' && <TasksDialog onClose={onClose} onAsk={onAsk} />}
      {asked.kind === 'basket' && <BasketDialog onClose={onClose} onAsk={onAsk} />}
      {asked.kind === 'view' && <ViewDialog onClose={onClose} />}
    </Suspense>
  );
}
