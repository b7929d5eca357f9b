/** A Chosen file and the folder it lay in, without slash at either end; "" for a single file. */
export interface Chosen {
  file: File;
  folder: string;
}

/** fromInput reads a file input; files of a chosen folder keep their place in it. */
export function fromInput(files: FileList | null): Chosen[] {
  return [...(files ?? [])].map((file) => ({ file, folder: folderOf(file.webkitRelativePath) }));
}

// Browsers of phones do not know folders.
function folderOf(path: string | undefined): string {
  return (path ?? '').split('/').slice(0, -1).join('/');
}

/** fromDrop reads what was dropped, folders with all that is in them. */
export async function fromDrop(data: DataTransfer): Promise<Chosen[]> {
  // The entries must be asked for before the first pause; afterwards the list is empty.
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (entries.length === 0) return [...data.files].map((file) => ({ file, folder: '' }));
  const found = await Promise.all(entries.map((entry) => walk(entry, '')));
  return found.flat();
}

async function walk(entry: FileSystemEntry, folder: string): Promise<Chosen[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject)).catch(
      () => undefined,
    );
    return file ? [{ file, folder }] : [];
  }
  if (!isFolder(entry)) return [];
  const inside = folder ? `${folder}/${entry.name}` : entry.name;
  const found = await Promise.all((await children(entry)).map((child) => walk(child, inside)));
  return found.flat();
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

// A folder answers in pieces until one is empty.
async function children(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const piece = await new Promise<FileSystemEntry[]>((resolve) =>
      reader.readEntries(resolve, () => resolve([])),
    );
    if (piece.length === 0) return all;
    all.push(...piece);
  }
}

/** fromPaste reads the clipboard's files. Screenshots have no name of their own and get one with the time. */
export function fromPaste(data: DataTransfer, now: Date): Chosen[] {
  return [...data.files].map((file) => ({
    file: file.name === 'image.png' ? new File([file], pastedName(now), { type: file.type }) : file,
    folder: '',
  }));
}

/** pastedName is pasted-YYYYMMDD-HHMMSS.png in local time. */
export function pastedName(now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `pasted-${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}.png`;
}

/** isTyping says that a paste belongs to the field that has the focus. */
export function isTyping(target: EventTarget | null, data: DataTransfer): boolean {
  const field = target instanceof HTMLElement && target.closest('input, textarea, [contenteditable]');
  return Boolean(field) && data.types.includes('text/plain');
}
