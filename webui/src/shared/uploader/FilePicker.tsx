import type { ComponentProps } from 'react';
import { fromInput, type Chosen } from './sources';

interface FilePickerProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  /** folders lets whole folders be chosen, with all that is in them. */
  folders?: boolean;
  onFiles: (files: Chosen[]) => void;
}

/** FilePicker is the system's dialog for files, which a button of the page opens by a click on it. */
export function FilePicker({ folders = false, onFiles, ...rest }: FilePickerProps) {
  return (
    <input
      multiple
      {...rest}
      type="file"
      hidden
      tabIndex={-1}
      // React has no property for it.
      {...(folders && { webkitdirectory: '' })}
      onChange={({ target }) => {
        const chosen = fromInput(target.files);
        // Choosing the same file again is a change, too.
        target.value = '';
        if (chosen.length > 0) onFiles(chosen);
      }}
    />
  );
}
