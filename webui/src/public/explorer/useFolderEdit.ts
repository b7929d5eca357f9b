import { useMutation } from '@tanstack/react-query';
import type { Entry } from '../../api/fs';
import { useT } from '../../i18n';
import { errorText } from '../../api/errorText';
import { folderChanged, showEdit } from '../../shared/query/folders';
import { toast } from '../../shared/ui';

interface FolderEdit {
  /** show is what the folder will hold. */
  show: (items: readonly Entry[]) => Entry[];
  /** run makes the change and tells what has become of it. */
  run: () => Promise<void>;
}

/** useFolderEdit changes a folder: it shows what will be, does it, and takes it back when it fails. */
export function useFolderEdit(path: string): (edit: FolderEdit) => void {
  const t = useT();
  const { mutate } = useMutation({
    mutationFn: ({ run }: FolderEdit) => run(),
    onMutate: ({ show }) => showEdit(path, show),
    onError: (error, _, undo) => {
      undo?.();
      toast.error(errorText(error, t));
    },
    // Also after a failure: nobody knows how far it got.
    onSettled: () => void folderChanged(path),
  });
  return mutate;
}
