import { Download, FileUp, Link2 } from 'lucide-react';
import { useNotify } from 'react-admin';
import { filePath, getFile, isReplaceable } from '../../api/files';
import type { DeleteMode, FileRow } from '../../api/types';
import { useSession } from '../../auth/session';
import { config, pageUrl, readStored, writeStored } from '../../config';
import { useT } from '../../i18n';
import { lazyPart } from '../../shared/lazyPart';
import { KindIcon } from '../../shared/preview/KindIcon';
import { buttonClass, Segmented } from '../../shared/ui';
import { makeStore, useStore } from '../../store';
import type { Column, RowAction } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { copyOut, shareActions, shareColumns, stateFilter } from '../share/columns';
import styles from '../share/share.module.css';
import type { Chosen } from '../share/useRemoval';
import { useShareDialogs } from '../share/useShareDialogs';
import { providerName } from '../share/provider';
import { FileDetail } from './FileDetail';

const EditFile = lazyPart(() => import('../../shared/shareform/EditFile'), 'shareEdit');
const Replace = lazyPart(() => import('../../shared/shareform/Replace'), 'file', 'shareEdit');

const modeKey = 'pp.admin.deleteMode';
const how = makeStore<DeleteMode>(readStored(modeKey) === 'record_only' ? 'record_only' : 'both');

/** HowToDelete names the files that are about to be deleted, and asks what goes with them. */
function HowToDelete({ rows }: { rows: readonly Chosen<FileRow>[] }) {
  const t = useT();
  const mode = useStore(how);
  const mounted = rows.filter(({ row }) => row?.file_path).length;
  const named = rows.slice(0, 5);
  return (
    <div className={styles.stack}>
      <ul className={styles.failures}>
        {named.map((row) => (
          <li key={row.id}>{row.name}</li>
        ))}
        {rows.length > named.length && <li>{t('admin.files.more', rows.length - named.length)}</li>}
      </ul>
      <Segmented
        label={t('admin.files.mode.label')}
        value={mode}
        onChange={(next) => {
          how.set(next);
          writeStored(modeKey, next);
        }}
        choices={[
          { value: 'both', label: t('admin.files.mode.both') },
          { value: 'record_only', label: t('admin.files.mode.record_only') },
        ]}
      />
      <p>{t(mode === 'both' ? 'admin.files.willBoth' : 'admin.files.willRecord')}</p>
      {mode === 'both' && mounted > 0 && <p>{t('admin.files.willMounted', mounted)}</p>}
      <p>{t('admin.files.noUndo')}</p>
    </div>
  );
}

/** Files manages the shared files: all of them for the administrator, their own for keys (§7.5). */
export default function Files() {
  const t = useT();
  const session = useSession();
  const admin = session.kind === 'admin';
  const notify = useNotify();
  const linkOf = (row: FileRow) => pageUrl(filePath(row));
  const { opened, open, onClose, onSaved, dialogs } = useShareDialogs<FileRow>((row) => ({
    kind: 'file',
    id: row.id,
    name: row.filename,
    link: linkOf(row),
  }));
  const common = shareColumns<FileRow>(t, (row) => open(row, 'visits'));
  const columns: Column<FileRow>[] = [
    {
      source: 'filename',
      label: t('admin.files.name'),
      title: true,
      sortable: true,
      render: (row) => (
        <span className={styles.file}>
          <KindIcon file={row} size={18} />
          <a href={`${config.basePath}${filePath(row)}`} target="_blank" rel="noopener" title={row.filename}>
            {row.filename}
          </a>
        </span>
      ),
    },
    { source: 'slug', label: t('admin.share.slug'), sortable: true, hidden: true, as: 'code' },
    { ...common.remark, hidden: true },
    { source: 'size', number: true, label: t('admin.files.size'), sortable: true, as: 'size' },
    { source: 'mimetype', label: t('admin.files.type'), hidden: true },
    common.state,
    common.expiry,
    common.views,
    {
      source: 'storage_config_name',
      roomy: true,
      label: t('admin.files.storage'),
      render: (row) => (
        <span className={styles.short}>{row.storage_config_name ?? t('admin.words.unknown')}</span>
      ),
    },
    {
      source: 'storage_provider_type',
      label: t('admin.files.provider'),
      hidden: true,
      render: ({ storage_provider_type: provider }) =>
        provider ? providerName(provider, t) : t('admin.words.unknown'),
    },
    common.created,
    ...(admin ? [common.creator] : []),
  ];

  async function copyDirect(row: FileRow) {
    const { urls } = await getFile(row.id);
    if (urls.previewUrl) await copyOut(urls.previewUrl, t('admin.files.copiedDirect'), t);
    else notify(t('admin.files.noDirect'), { type: 'warning' });
  }

  /** download fetches the owner's own address, which asks for no password and takes no view. */
  async function download(row: FileRow) {
    const { urls } = await getFile(row.id);
    location.assign(urls.downloadUrl ?? urls.proxyDownloadUrl);
  }

  const asks = (rows: readonly Chosen<FileRow>[]) => ({
    body: <HowToDelete rows={rows} />,
    meta: () => ({ mode: how.get() }),
  });

  const actions = (row: FileRow): RowAction[] =>
    shareActions(t, linkOf(row), (as) => open(row, as), [
      { label: t('admin.files.copyDirect'), icon: Link2, run: () => copyDirect(row) },
      { label: t('admin.files.download'), icon: Download, run: () => download(row) },
      ...(session.owns(row.created_by) && isReplaceable(row)
        ? [{ label: t('admin.files.replace'), icon: FileUp, run: () => open(row, 'replace') }]
        : []),
    ]);

  return (
    <PanelList<FileRow>
      words="admin.files"
      columns={columns}
      nameOf={(row) => row.filename}
      actions={actions}
      exportName="files"
      filters={[stateFilter(t)]}
      removes={{ asks }}
      emptyAction={
        <a className={buttonClass('primary')} href={`${config.basePath}/upload`}>
          {t('admin.files.emptyAction')}
        </a>
      }
    >
      {dialogs}
      {opened?.as === 'preview' && <FileDetail row={opened.row} onClose={onClose} />}
      {opened?.as === 'replace' && <Replace id={opened.row.id} onClose={onClose} onReplaced={onSaved} />}
      {opened?.as === 'edit' && (
        <EditFile
          title={t('admin.files.edit', { name: opened.row.filename })}
          file={opened.row}
          hasPassword={opened.row.has_password}
          onClose={onClose}
          onRestored={onSaved}
          onSaved={onSaved}
        />
      )}
    </PanelList>
  );
}
