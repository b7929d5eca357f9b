import { Suspense } from 'react';
import type { Listing } from '../../api/fs';
import type { Asked } from './asked';
import { lazyPart } from '../../shared/lazyPart';

const LinkDialog = lazyPart(() => import('./LinkDialog'));
const ShareDialog = lazyPart(() => import('./ShareDialog'), 'share', 'shareBox');
const TargetDialog = lazyPart(() => import('./TargetDialog'));
const FactsDialog = lazyPart(() => import('./FactsDialog'));
const FailedDialog = lazyPart(() => import('./FailedDialog'));
const UploadDialog = lazyPart(() => import('./UploadDialog'), 'file');
const SearchDialog = lazyPart(() => import('./SearchDialog'));
const TasksDialog = lazyPart(() => import('./TasksDialog'), 'file');
const BasketDialog = lazyPart(() => import('./BasketDialog'));
const ViewDialog = lazyPart(() => import('./ViewDialog'));

interface DialogsProps {
  asked: Asked | undefined;
  path: string;
  base: string;
  listing: Listing | undefined;
  onClose: () => void;
  onAsk: (asked: Asked) => void;
  /** onChanged is called when a deed has changed what the folder holds. */
  onChanged: () => void;
}

/** Dialogs shows the dialog that was asked for; each is loaded when it is first needed. */
export function Dialogs({ asked, path, base, listing, onClose, onAsk, onChanged }: DialogsProps) {
  if (!asked) return null;
  return (
    <Suspense fallback={null}>
      {asked.kind === 'link' && <LinkDialog entry={asked.entry} onClose={onClose} />}
      {asked.kind === 'share' && <ShareDialog entry={asked.entry} onClose={onClose} />}
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
      {asked.kind === 'facts' && <FactsDialog entry={asked.entry} onClose={onClose} />}
      {asked.kind === 'failed' && <FailedDialog failed={asked.failed} onClose={onClose} />}
      {asked.kind === 'upload' && <UploadDialog path={path} taken={listing?.items ?? []} onClose={onClose} />}
      {asked.kind === 'search' && (
        <SearchDialog path={path} mount={listing?.mount_id} base={base} onClose={onClose} onAsk={onAsk} />
      )}
      {asked.kind === 'tasks' && <TasksDialog onClose={onClose} onAsk={onAsk} />}
      {asked.kind === 'basket' && <BasketDialog onClose={onClose} />}
      {asked.kind === 'view' && <ViewDialog onClose={onClose} />}
    </Suspense>
  );
}
