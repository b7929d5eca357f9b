import { Eye, Link as LinkIcon, QrCode, SquareArrowOutUpRight } from 'lucide-react';
import { language, type Translate } from '../../i18n';
import { copyText } from '../../shared/clipboard';
import { toast } from '../../shared/ui';
import { editAction, type Column, type RowAction } from '../list/columns';
import type { Filter } from '../list/Toolbar';
import { visitorActions, type ShareDialog } from './useShareDialogs';
import { Creator, creatorText, Expiry, State, stateText, Views, viewsText, type ShareRow } from './cells';
import styles from './share.module.css';

type Openable = Pick<ShareRow, 'expires_at' | 'views' | 'max_views'>;

/** openableColumns are the columns that all shares have in common, by what they show; `onLog` tells who opened one. */
export const openableColumns = <R extends Openable>(t: Translate, onLog: (row: R) => void) =>
  ({
    expiry: {
      source: 'expires_at',
      label: t('admin.share.expiry'),
      sortable: true,
      render: (row) => <Expiry row={row} />,
    },
    views: {
      source: 'views',
      number: true,
      label: t('admin.share.views'),
      sortable: true,
      csv: (row) => (row.max_views ? `${row.views}/${row.max_views}` : row.views),
      render: (row) => (
        <button
          type="button"
          className={styles.views}
          title={t('admin.share.visits')}
          aria-label={t('admin.share.visitsOf', { views: viewsText(row, language(), t) })}
          onClick={() => onLog(row)}
        >
          <Views row={row} />
        </button>
      ),
    },
    created: { source: 'created_at', label: t('admin.share.created'), sortable: true, as: 'time' },
  }) satisfies Record<string, Column<R>>;

/** shareColumns are those that texts and files have in common. */
export const shareColumns = <R extends ShareRow>(t: Translate, onLog: (row: R) => void) =>
  ({
    ...openableColumns<R>(t, onLog),
    remark: {
      source: 'remark',
      label: t('admin.share.remark'),
      render: (row) => (row.remark ? <span className={styles.clip}>{row.remark}</span> : ''),
    },
    state: {
      source: 'state',
      label: t('admin.share.state'),
      csv: (row) => stateText(row, t),
      render: (row) => <State row={row} />,
    },
    creator: {
      source: 'created_by',
      roomy: true,
      label: t('admin.share.creator'),
      csv: (row) => creatorText(row, t),
      render: (row) => <Creator row={row} />,
    },
  }) satisfies Record<string, Column<R>>;

/** kindFilter narrows a list of all shares down to one kind. */
export const kindFilter = (t: Translate): Filter => ({
  name: 'kind',
  label: t('ops.shares.kind'),
  choices: [
    { value: 'paste', label: t('ops.shares.texts') },
    { value: 'file', label: t('ops.shares.files') },
    { value: 'collection', label: t('ops.shares.collections') },
  ],
});

/** keyChoices are the keys as those who made a share; `of` turns a creator into the value of the filter. */
export const keyChoices = (
  t: Translate,
  keys: readonly { id: string; name: string }[] = [],
  of = (creator: string) => creator,
) => keys.map(({ id, name }) => ({ value: of(`apikey:${id}`), label: t('ops.shares.key', { name }) }));

/** madeBy is who made a share, with the name of a key. */
export const madeBy = (creator: string, keys: readonly { id: string; name: string }[] = []) => ({
  created_by: creator,
  key_name: keys.find(({ id }) => creator === `apikey:${id}`)?.name,
});

/** stateFilter narrows a list of shares by what they are; the server knows the same states. */
export const stateFilter = (t: Translate): Filter => ({
  name: 'state',
  label: t('admin.share.state'),
  choices: [
    { value: 'active', label: t('admin.share.active') },
    { value: 'expired', label: t('admin.share.expired') },
    { value: 'protected', label: t('admin.share.password') },
    { value: 'limited', label: t('admin.share.limited') },
  ],
});

/** copyOut puts a text on the clipboard and says so. */
export async function copyOut(text: string, said: string, t: Translate): Promise<void> {
  if (await copyText(text)) toast.success(said);
  else toast.warning(t('common.copyFailed'));
}

/** openAction and copyAction are what is done with the link of a share. */
export const openAction = (t: Translate, link: string): RowAction => ({
  label: t('admin.share.open'),
  icon: SquareArrowOutUpRight,
  run: () => window.open(link, '_blank', 'noopener'),
});

export const copyAction = (t: Translate, link: string): RowAction => ({
  label: t('admin.share.copyLink'),
  icon: LinkIcon,
  run: () => void copyOut(link, t('admin.share.copied'), t),
});

/** shareActions are what can be done with a shared text or file; `more` are those of its kind alone. */
export const shareActions = (
  t: Translate,
  link: string,
  open: (as: ShareDialog) => void,
  more: readonly RowAction[],
): RowAction[] => [
  { label: t('admin.share.preview'), icon: Eye, run: () => open('preview'), shown: true },
  editAction(t, () => open('edit')),
  openAction(t, link),
  copyAction(t, link),
  ...visitorActions(t, open),
  ...more,
  { label: t('admin.share.qr'), icon: QrCode, run: () => open('qr') },
];
