import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { errorText } from '../../api/errorText';
import { deleteFiles, getFile } from '../../api/files';
import { fileLink, makeFolder, remove, rename, shareEntry, zip, type Entry } from '../../api/fs';
import { pageUrl } from '../../config';
import { useT } from '../../i18n';
import { copyText } from '../../shared/clipboard';
import { extensionChanges } from '../../shared/preview/kind';
import { folderChanged, foldersGone, marksChanged } from '../../shared/query/folders';
import { askText, confirm, toast } from '../../shared/ui';
import type { Asked } from './asked';
import { basket } from './basket';
import { nameProblem } from './entries';
import { followLink } from './followLink';
import { cleanPath, hrefOf, join, parentOf } from './place';
import { RemoveQuestion } from './RemoveQuestion';
import { useFolderEdit } from './useFolderEdit';
import { useFollow } from './useFollow';
import { useTransfer } from './useTransfer';

export interface Commands {
  open: (entry: Entry) => void;
  up: () => void;
  download: (entry: Entry) => Promise<void>;
  /** downloadAll gives several entries, and folders, as one ZIP file. */
  downloadAll: (entries: readonly Entry[]) => Promise<void>;
  copyPath: (entry: Entry) => Promise<void>;
  newFolder: () => Promise<void>;
  rename: (entry: Entry) => Promise<void>;
  remove: (entries: readonly Entry[]) => Promise<void>;
  goTo: () => Promise<void>;
  /** transfer moves or copies entries that were dropped on a folder. */
  transfer: (entries: readonly Entry[], folder: string, asCopy: boolean) => void;
  /** duplicate copies entries beside themselves, under names that are free. */
  duplicate: (entries: readonly Entry[]) => Promise<void>;
  /** shareNow makes a share without asking for its terms. */
  shareNow: (entry: Entry) => Promise<void>;
  /** collect puts entries into the basket. */
  collect: (entries: readonly Entry[]) => void;
}

interface Scene {
  path: string;
  items: readonly Entry[];
  base: string;
  ask: (asked: Asked) => void;
}

/** useCommands are the deeds of a folder: they ask, show what will be, do it, and take it back when it fails. */
export function useCommands({ path, items, base, ask }: Scene): Commands {
  const t = useT();
  const [, go] = useLocation();
  const followTask = useFollow();
  const startTransfer = useTransfer();
  const edit = useFolderEdit(path);
  const here = useRef(true);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
    };
  }, []);

  const problemOf = (name: string, own: string) => {
    const problem = nameProblem(name, items, own);
    return problem && t(`explorer.names.${problem}`);
  };

  /** tell shows why something did not work; the listing is read again because nobody knows how far it got. */
  const tell = (error: unknown) => {
    toast.error(errorText(error, t));
    void folderChanged(path);
  };

  return {
    open(entry) {
      if (entry.reachable === false) return;
      go(entry.isDirectory ? hrefOf(entry.path) : hrefOf(path, entry.name));
    },

    up() {
      if (path !== base && path !== '/') go(hrefOf(parentOf(path)));
    },

    async download(entry) {
      try {
        const { presignedUrl } = await fileLink(entry.path, { download: true });
        followLink(presignedUrl, entry.name);
      } catch (error) {
        tell(error);
      }
    },

    async downloadAll(entries) {
      try {
        const { url, name } = await zip(entries.map(({ path: one }) => one));
        followLink(url, name);
      } catch (error) {
        tell(error);
      }
    },

    async copyPath(entry) {
      if (await copyText(cleanPath(entry.path))) toast.success(t('explorer.pathCopied'));
      else toast.warning(cleanPath(entry.path));
    },

    async newFolder() {
      const name = await askText({
        title: t('explorer.newFolder.title'),
        label: t('explorer.newFolder.label'),
        confirmLabel: t('explorer.newFolder.confirm'),
        validate: (value) => problemOf(value.trim(), ''),
      });
      if (name === undefined) return;
      const target = join(path, name.trim());
      const fresh: Entry = { name: name.trim(), path: `${target}/`, isDirectory: true };
      edit({
        show: (entries) => [fresh, ...entries],
        run: async () => {
          await makeFolder(`${target}/`);
          toast.success(t('explorer.newFolder.done', { name: fresh.name }));
        },
      });
    },

    async rename(entry) {
      const dot = entry.isDirectory ? -1 : entry.name.lastIndexOf('.');
      const name = await askText({
        title: t('explorer.rename.title', { name: entry.name }),
        label: t('explorer.rename.label'),
        confirmLabel: t('explorer.rename.confirm'),
        value: entry.name,
        ...(dot > 0 && { select: dot, hint: t('explorer.rename.extension') }),
        validate: (value) => problemOf(value.trim(), entry.name),
      });
      const wanted = name?.trim();
      if (!wanted || wanted === entry.name) return;
      const kindChanges = !entry.isDirectory && extensionChanges(entry.name, wanted);
      const sure =
        !kindChanges ||
        (await confirm({
          title: t('explorer.rename.otherKind'),
          body: t('explorer.rename.otherKindBody', { name: entry.name, wanted }),
          confirmLabel: t('explorer.rename.confirm'),
        }));
      if (!sure) return;
      const slash = entry.isDirectory ? '/' : '';
      const target = join(path, wanted) + slash;
      edit({
        show: (entries) =>
          entries.map((other) =>
            other.path === entry.path ? { ...entry, name: wanted, path: target } : other,
          ),
        run: async () => {
          const started = await rename(entry.path, target, entry.isDirectory);
          void foldersGone([cleanPath(entry.path)]);
          if (started?.taskId) await followTask(started.taskId, 'rename');
          else toast.success(t('explorer.rename.done', { name: wanted }));
        },
      });
    },

    async remove(entries) {
      if (entries.length === 0) return;
      const folders = entries.some(({ isDirectory }) => isDirectory);
      const sure = await confirm({
        title:
          entries.length === 1
            ? t('explorer.remove.titleOne', { name: entries[0]?.name })
            : t('explorer.remove.title', entries.length),
        body: <RemoveQuestion entries={entries} />,
        confirmLabel: t('common.delete'),
        danger: true,
      });
      if (!sure) return;
      const gone = new Set(entries.map((entry) => entry.path));
      edit({
        show: (all) => all.filter((entry) => !gone.has(entry.path)),
        run: async () => {
          const done = await remove([...gone], folders || entries.length > 100);
          const left = entries.filter(({ isDirectory }) => isDirectory);
          if (left.length > 0) void foldersGone(left.map((entry) => cleanPath(entry.path)));
          if (done.taskId) await followTask(done.taskId, 'remove');
          else if (done.failed.length > 0) ask({ kind: 'failed', failed: done.failed });
          else toast.success(t('explorer.remove.done', done.success));
        },
      });
    },

    async goTo() {
      const target = await askText({
        title: t('explorer.goTo.title'),
        label: t('explorer.goTo.label'),
        confirmLabel: t('explorer.goTo.confirm'),
        value: path,
      });
      if (target !== undefined) go(hrefOf(cleanPath(target.trim())));
    },

    transfer(entries, folder, asCopy) {
      const gone = new Set(asCopy ? [] : entries.map((entry) => entry.path));
      edit({
        show: (all) => all.filter((entry) => !gone.has(entry.path)),
        run: async () => {
          const { done } = await startTransfer(asCopy ? 'copy' : 'move', entries, folder, 'skip');
          await done;
        },
      });
    },

    async duplicate(entries) {
      try {
        await (
          await startTransfer('copy', entries, path, 'rename')
        ).done;
      } catch (error) {
        tell(error);
      }
    },

    async shareNow(entry) {
      try {
        const { slug, fileId } = await shareEntry({ path: entry.path });
        const copied = await copyText(pageUrl(`/file/${slug}`));
        const undo = async () => {
          try {
            await deleteFiles([fileId], 'record_only');
            toast.info(t('explorer.share.undone'));
          } catch (error) {
            toast.error(errorText(error, t));
          }
          void marksChanged(path);
        };
        const editTerms = async () => {
          // The message stays when its folder is left; the share's own page can edit it as well.
          if (!here.current) {
            go(`/file/${slug}`);
            return;
          }
          try {
            ask({ kind: 'editShare', file: await getFile(fileId) });
          } catch (error) {
            toast.error(errorText(error, t));
          }
        };
        void marksChanged(path);
        toast.success(t(copied ? 'explorer.share.copied' : 'explorer.share.done', { name: entry.name }), {
          lasts: 10_000,
          action: { label: t('explorer.share.edit'), run: () => void editTerms() },
          other: { label: t('common.undo'), run: () => void undo() },
        });
      } catch (error) {
        tell(error);
      }
    },

    collect(entries) {
      const left = basket.add(entries);
      if (left > 0) toast.warning(t('explorer.basket.full', left));
      else toast.success(t('explorer.basket.added', entries.length));
    },
  };
}
