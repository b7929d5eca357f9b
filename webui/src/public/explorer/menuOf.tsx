import {
  Clipboard,
  Copy,
  CopyPlus,
  Download,
  ExternalLink,
  FileArchive,
  FolderInput,
  History,
  Inbox,
  Info,
  Link,
  Link2,
  Pencil,
  Scale,
  Share2,
  ShoppingBasket,
  SquareCheck,
  Trash2,
  Zap,
} from 'lucide-react';
import type { Entry } from '../../api/fs';
import type { Translate } from '../../i18n';
import { grouped, type MenuItem } from '../../shared/ui/MenuItems';
import type { Asked } from './asked';
import { basket } from './basket';
import { isEditable } from './entries';
import type { Commands } from './useCommands';
import type { FolderSizes } from './useFolderSizes';
import type { Rights } from './useRights';
import { isSelectable, type Selection } from './useSelection';

/** MenuScene is what the menu of an entry depends on. */
export interface MenuScene {
  entry: Entry;
  /** chosen are the entries that deeds for several work on; the entry is one of them. */
  chosen: readonly Entry[];
  rights: Rights;
  commands: Commands;
  selection: Selection;
  sizes: FolderSizes;
  /** shares is how many shares of the entry are known. */
  shares: number;
  ask: (asked: Asked) => void;
  t: Translate;
}

/** menuOf lists what can be done with an entry, or with the selection it belongs to. */
export function menuOf({
  entry,
  chosen,
  rights,
  commands,
  selection,
  sizes,
  shares,
  ask,
  t,
}: MenuScene): MenuItem[] {
  const one = chosen.length === 1;
  const file = !entry.isDirectory;
  const real = isSelectable(entry);
  const icon = (Icon: typeof Copy) => <Icon size={18} />;
  return grouped(
    [
      one && { label: t('explorer.menu.open'), icon: icon(ExternalLink), run: () => commands.open(entry) },
      (!one || entry.isDirectory) &&
        real && {
          label: t('explorer.menu.zip'),
          icon: icon(FileArchive),
          run: () => void commands.downloadAll(chosen),
        },
      one &&
        file && {
          label: t('explorer.menu.download'),
          icon: icon(Download),
          run: () => void commands.download(entry),
        },
    ],
    [
      one &&
        (file || real) &&
        rights.share && {
          label: t('explorer.menu.share'),
          icon: icon(Share2),
          asks: true,
          run: () => ask({ kind: 'share', entry }),
        },
      one &&
        file &&
        rights.share && {
          label: t('explorer.menu.shareNow'),
          icon: icon(Zap),
          run: () => void commands.shareNow(entry),
        },
      one &&
        shares > 0 && {
          label: t('explorer.menu.shares', shares),
          icon: icon(Link),
          run: () => ask({ kind: 'shares', entry }),
        },
      one &&
        real &&
        entry.isDirectory &&
        rights.upload && {
          label: t('explorer.menu.request'),
          icon: icon(Inbox),
          run: () => ask({ kind: 'request', entry }),
        },
    ],
    [
      one &&
        file && {
          label: t('explorer.menu.link'),
          icon: icon(Link2),
          asks: true,
          run: () => ask({ kind: 'link', entry }),
        },
      one && {
        label: t('explorer.menu.path'),
        icon: icon(Clipboard),
        run: () => void commands.copyPath(entry),
      },
      real && {
        label: t(chosen.every(basket.has) ? 'explorer.menu.uncollect' : 'explorer.menu.collect'),
        icon: icon(ShoppingBasket),
        run: () => {
          if (chosen.every(basket.has)) basket.remove(chosen.map(({ path }) => path));
          else commands.collect(chosen);
        },
      },
      real && {
        label: t(selection.has(entry) ? 'explorer.menu.unselect' : 'explorer.menu.select'),
        icon: icon(SquareCheck),
        run: () => selection.toggle(entry),
      },
    ],
    [
      real &&
        rights.copy && {
          label: t('explorer.menu.duplicate'),
          icon: icon(CopyPlus),
          run: () => void commands.duplicate(chosen),
        },
      real &&
        rights.copy && {
          label: one ? t('explorer.menu.copy') : t('explorer.menu.copyMany', chosen.length),
          icon: icon(Copy),
          run: () => ask({ kind: 'copy', entries: chosen }),
        },
      real &&
        rights.move && {
          label: one ? t('explorer.menu.move') : t('explorer.menu.moveMany', chosen.length),
          icon: icon(FolderInput),
          run: () => ask({ kind: 'move', entries: chosen }),
        },
      one &&
        real &&
        rights.rename && {
          label: t('explorer.menu.rename'),
          icon: icon(Pencil),
          asks: true,
          run: () => void commands.rename(entry),
        },
    ],
    [
      one &&
        real &&
        entry.isDirectory && {
          label: t(sizes.counting(entry) ? 'explorer.menu.stopSize' : 'explorer.menu.size'),
          icon: icon(Scale),
          run: () => sizes.count(entry),
        },
      one &&
        rights.upload &&
        isEditable(entry) && {
          label: t('explorer.preview.versions'),
          icon: icon(History),
          run: () => ask({ kind: 'versions', entry }),
        },
      one && { label: t('explorer.menu.facts'), icon: icon(Info), run: () => ask({ kind: 'facts', entry }) },
    ],
    [
      real &&
        rights.remove && {
          label: one ? t('explorer.menu.remove') : t('explorer.menu.removeMany', chosen.length),
          icon: icon(Trash2),
          danger: true,
          run: () => void commands.remove(chosen),
        },
    ],
  );
}
