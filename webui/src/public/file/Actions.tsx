import {
  Download,
  Ellipsis,
  ExternalLink,
  FileText,
  FileUp,
  Pencil,
  Printer,
  QrCode,
  Share2,
  Trash2,
} from 'lucide-react';
import { Suspense, useState } from 'react';
import { errorText } from '../../api/errorText';
import { deleteFiles, fileDownloadUrl } from '../../api/files';
import type { PublicFile } from '../../api/types';
import { permissions } from '../../auth/permissions';
import { useSession } from '../../auth/session';
import { pageUrl } from '../../config';
import { useMedia } from '../../hooks/useMedia';
import { useT } from '../../i18n';
import { copyText } from '../../shared/clipboard';
import { useDownload } from '../../shared/gate/useDownload';
import { lazyPart } from '../../shared/lazyPart';
import { opensInBrowser } from '../../shared/preview';
import { roomyClass, shortClass } from '../../shared/preview/TextBar';
import {
  Button,
  buttonClass,
  confirm,
  IconButton,
  iconLinkClass,
  Menu,
  QrDialog,
  toast,
} from '../../shared/ui';
import { grouped } from '../../shared/ui/MenuItems';
import styles from './file.module.css';

const EditFile = lazyPart(() => import('../../shared/shareform/EditFile'), 'shareEdit', 'share');
const Replace = lazyPart(() => import('../../shared/shareform/Replace'), 'shareEdit', 'file');

interface ActionsProps {
  file: PublicFile;
  /** hasPassword says whether the file was opened with one. */
  hasPassword: boolean;
  /** copyRef is the place of the button that copies a text; the actions then are those of a text's bar. */
  copyRef: ((element: HTMLElement | null) => void) | undefined;
  /** onChanged is told what the owner has changed, and the password when that is new. */
  onChanged: (change: Partial<PublicFile>, password: string | undefined) => void;
  refresh: () => Promise<PublicFile>;
  onFresh: (file: PublicFile) => void;
  onDeleted: () => void;
}

/** Actions is what a visitor, and the owner, can do with a file. Download comes first. */
export function Actions({
  file,
  hasPassword,
  copyRef,
  onChanged,
  refresh,
  onFresh,
  onDeleted,
}: ActionsProps) {
  const t = useT();
  const session = useSession();
  // Where the bar of a text has no room for them.
  const narrow = useMedia('(max-width: 639px)');
  const [qr, setQr] = useState(false);
  const [editing, setEditing] = useState(false);
  const [replacing, setReplacing] = useState(false);
  const download = useDownload(Boolean(file.max_views));
  const link = pageUrl(`/file/${file.slug}`);
  const bytes = file.downloadUrl || file.proxy_download_url || fileDownloadUrl(file.slug);
  const view = file.previewUrl || file.proxy_preview_url;
  const mayChange = session.can(permissions.FILE_SHARE) && session.owns(file.created_by);
  // After the last view no link leads to the file any more.
  const linkWorks = !file.isLastView;

  async function share() {
    if (typeof navigator.share === 'function') {
      await navigator.share({ title: file.filename, url: link }).catch(() => undefined);
    } else if (await copyText(link)) {
      toast.success(t('fileView.actions.copied'));
    } else {
      toast.warning(t('fileView.actions.notCopied'));
    }
  }

  async function remove() {
    await confirm({
      title: t('fileView.delete.title', { name: file.filename }),
      body: t('fileView.delete.body'),
      confirmLabel: t('common.delete'),
      danger: true,
      run: async () => {
        try {
          const { failed } = await deleteFiles([file.id], 'both');
          const [first] = failed;
          if (first) toast.error(t('fileView.delete.failed', { reason: first.error }));
          else onDeleted();
        } catch (error) {
          toast.error(t('fileView.delete.failed', { reason: errorText(error, t) }));
        }
      },
    });
  }

  const icon = { size: 18, 'aria-hidden': true } as const;
  const saved = {
    href: bytes,
    download: file.filename,
    onClick: download({
      name: file.filename,
      probe: file.proxy_download_url ?? bytes,
      renew: async () => {
        const next = await refresh();
        onFresh(next);
        return next.downloadUrl ?? next.proxy_download_url ?? bytes;
      },
    }),
  };
  const opens = view && opensInBrowser(file) ? view : '';
  const seldom = grouped(
    [
      mayChange && {
        label: t('fileView.actions.edit'),
        icon: <Pencil {...icon} />,
        asks: true,
        run: () => setEditing(true),
      },
      mayChange && {
        label: t('fileView.actions.replace'),
        icon: <FileUp {...icon} />,
        asks: true,
        run: () => setReplacing(true),
      },
    ],
    [
      linkWorks && {
        label: t('fileView.actions.share'),
        icon: <Share2 {...icon} />,
        run: () => void share(),
      },
      linkWorks &&
        narrow && { label: t('fileView.actions.qr'), icon: <QrCode {...icon} />, run: () => setQr(true) },
      opens !== '' && {
        label: t('fileView.actions.raw'),
        icon: <FileText {...icon} />,
        run: () => window.open(opens, '_blank', 'noopener,noreferrer'),
      },
      {
        label: t('fileView.actions.print'),
        icon: <Printer {...icon} />,
        asks: true,
        run: () => window.print(),
      },
    ],
    [
      mayChange && {
        label: t('fileView.actions.delete'),
        icon: <Trash2 {...icon} />,
        run: () => void remove(),
        danger: true,
      },
    ],
  );
  return (
    <div className={styles.actions} role="group" aria-label={t('fileView.actions.label')}>
      {copyRef ? (
        <>
          <span ref={copyRef} className={styles.copy} />
          <a
            className={`${buttonClass('quiet')} ${shortClass}`}
            title={t('fileView.actions.download')}
            {...saved}
          >
            <Download {...icon} />
            <span>{t('fileView.actions.download')}</span>
          </a>
          {linkWorks && (
            <Button
              variant="quiet"
              className={roomyClass}
              icon={<QrCode {...icon} />}
              onClick={() => setQr(true)}
            >
              {t('fileView.actions.qr')}
            </Button>
          )}
          <Menu
            label={t('fileView.actions.more')}
            items={seldom}
            button={(attributes) => (
              <Button
                {...attributes}
                variant="quiet"
                className={shortClass}
                title={t('fileView.actions.more')}
                icon={<Ellipsis {...icon} />}
              >
                {t('fileView.actions.more')}
              </Button>
            )}
          />
        </>
      ) : (
        <>
          <a className={buttonClass('primary')} {...saved}>
            <Download {...icon} />
            {t('fileView.actions.download')}
          </a>
          {opens && (
            <a
              className={iconLinkClass}
              href={opens}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={t('fileView.actions.open')}
              title={t('fileView.actions.open')}
            >
              <ExternalLink {...icon} />
            </a>
          )}
          {linkWorks && (
            <>
              <IconButton label={t('fileView.actions.share')} onClick={() => void share()}>
                <Share2 {...icon} />
              </IconButton>
              <IconButton label={t('fileView.actions.qr')} onClick={() => setQr(true)}>
                <QrCode {...icon} />
              </IconButton>
            </>
          )}
          {mayChange && (
            <>
              <IconButton label={t('fileView.actions.edit')} onClick={() => setEditing(true)}>
                <Pencil {...icon} />
              </IconButton>
              <IconButton label={t('fileView.actions.replace')} onClick={() => setReplacing(true)}>
                <FileUp {...icon} />
              </IconButton>
              <IconButton label={t('fileView.actions.delete')} onClick={() => void remove()}>
                <Trash2 {...icon} />
              </IconButton>
            </>
          )}
        </>
      )}
      {editing && (
        <Suspense fallback={null}>
          <EditFile
            file={file}
            hasPassword={hasPassword}
            onClose={() => setEditing(false)}
            onRestored={() => {
              setEditing(false);
              void refresh().then(onFresh);
            }}
            onSaved={(change, password) => {
              setEditing(false);
              onChanged(change, password);
            }}
          />
        </Suspense>
      )}
      {replacing && (
        <Suspense fallback={null}>
          <Replace
            id={file.id}
            onClose={() => setReplacing(false)}
            onReplaced={() => {
              setReplacing(false);
              void refresh().then(onFresh);
            }}
          />
        </Suspense>
      )}
      {qr && <QrDialog link={link} fileName={`file-${file.slug}`} onClose={() => setQr(false)} />}
    </div>
  );
}
