import type { Entry } from '../../api/fs';
import { Dialog } from '../../shared/ui';
import { EntryFacts } from './EntryFacts';
import type { Marks } from './useMarks';

interface FactsDialogProps {
  entry: Entry;
  marks: Marks;
  onClose: () => void;
}

/** FactsDialog tells all that is known of an entry. */
export default function FactsDialog({ entry, marks, onClose }: FactsDialogProps) {
  return (
    <Dialog title={entry.name} onClose={onClose}>
      <EntryFacts entry={entry} marks={marks} />
    </Dialog>
  );
}
