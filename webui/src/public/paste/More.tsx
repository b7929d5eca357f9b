import {
  CopyPlus,
  Download,
  Ellipsis,
  FileText,
  History,
  Link2,
  Pencil,
  Printer,
  QrCode,
  Trash2,
} from 'lucide-react';
import { useLocation } from 'wouter';
import { errorText } from '../../api/errorText';
import { deletePastes, listPastes, rawPasteUrl } from '../../api/pastes';
import type { Paste } from '../../api/types';
import { permissions } from '../../auth/permissions';
import { useSession } from '../../auth/session';
import { useT } from '../../i18n';
import { copyText } from '../../shared/clipboard';
import ExportMenu from '../../shared/exports/ExportMenu';
import { handOver } from '../../shared/handover';
import { isQueued } from '../../api/errors';
import { Button, confirm, Menu, toast } from '../../shared/ui';
import { grouped } from '../../shared/ui/MenuItems';
import { useMedia } from '../../hooks/useMedia';
import { shortClass } from '../../shared/preview/TextBar';
import type { View } from './syntax';

interface MoreProps {
  paste: Paste;
  text: string;
  password: string;
  view: View;
  /** linkWorks is false after the last view. */
  linkWorks: boolean;
  /** asked is true when somebody waits for the menu; it then opens at once. */
  asked: boolean;
  onEdit: () => void;
  onVersions: () => void;
  onDownload: () => void;
  onQr: () => void;
}

/** More is the menu of what is done with a paste less often, deleting included. */
export default function More({
  paste,
  text,
  password,
  view,
  linkWorks,
  asked,
  onEdit,
  onVersions,
  onDownload,
  onQr,
}: MoreProps) {
  const t = useT();
  const session = useSession();
  // Where the bar has no room for them.
  const narrow = useMedia('(max-width: 639px)');
  const [, navigate] = useLocation();
  const name = paste.remark?.trim() || paste.slug;
  const mayChange = session.can(permissions.TEXT) && session.owns(paste.created_by);

  async function withRawLink(act: (raw: string) => void) {
    const agreed =
      password === '' ||
      (await confirm({
        title: t('exports.raw.title'),
        body: t('exports.raw.body'),
        confirmLabel: t('exports.raw.confirm'),
      }));
    if (agreed) act(rawPasteUrl(paste.slug, password));
  }

  async function copy(value: string) {
    if (await copyText(value)) toast.success(t('pasteMore.copied'));
    else toast.warning(t('pasteMore.notCopied'));
  }

  function fork() {
    handOver({ text, markdown: view === 'preview' });
    navigate('/');
  }

  async function remove() {
    await confirm({
      title: t('pasteMore.delete.title', { name }),
      body: t('pasteMore.delete.body'),
      confirmLabel: t('common.delete'),
      danger: true,
      run: async () => {
        try {
          await deletePastes([await idOf(paste.slug)]);
          toast.success(t('pasteMore.delete.done'));
          navigate('/');
        } catch (error) {
          if (isQueued(error)) {
            toast.info(errorText(error, t));
            return;
          }
          const reason = error instanceof NotListed ? t('pasteMore.delete.notFound') : errorText(error, t);
          toast.error(t('pasteMore.delete.failed', { reason }));
        }
      },
    });
  }

  const icon = { size: 18, 'aria-hidden': true } as const;
  const items = grouped(
    [
      mayChange && { label: t('pasteMore.edit'), icon: <Pencil {...icon} />, run: onEdit },
      mayChange && { label: t('pasteMore.versions'), icon: <History {...icon} />, run: onVersions },
      { label: t('pasteMore.fork'), icon: <CopyPlus {...icon} />, run: fork },
    ],
    [
      narrow && { label: t('pasteView.actions.download'), icon: <Download {...icon} />, run: onDownload },
      narrow && linkWorks && { label: t('pasteView.actions.qr'), icon: <QrCode {...icon} />, run: onQr },
      linkWorks && {
        label: t('pasteMore.copyRaw'),
        icon: <Link2 {...icon} />,
        run: () => void withRawLink((raw) => void copy(raw)),
      },
      linkWorks && {
        label: t('pasteMore.raw'),
        icon: <FileText {...icon} />,
        run: () => void withRawLink((raw) => window.open(raw, '_blank', 'noopener,noreferrer')),
      },
      { label: t('pasteMore.print'), icon: <Printer {...icon} />, asks: true, run: () => window.print() },
    ],
    [
      mayChange && {
        label: t('pasteMore.remove'),
        icon: <Trash2 {...icon} />,
        run: () => void remove(),
        danger: true,
      },
    ],
  );

  const exported = () => ({
    text,
    markdown: view === 'preview' || paste.syntax === 'markdown',
    title: paste.remark?.trim() ?? '',
  });
  return (
    <>
      <ExportMenu quiet source={exported} className={shortClass} />
      <Menu
        label={t('pasteView.actions.more')}
        items={items}
        openAtFirst={asked}
        button={(attributes) => (
          <Button
            {...attributes}
            variant="quiet"
            className={shortClass}
            title={t('pasteView.actions.more')}
            icon={<Ellipsis {...icon} />}
          >
            {t('pasteView.actions.more')}
          </Button>
        )}
      />
    </>
  );
}

/** NotListed says that a share the page shows is no longer among the caller's. */
class NotListed extends Error {}

// Visitors are not told the id, so the owner's list is asked for it.
async function idOf(slug: string): Promise<string> {
  const { data } = await listPastes({ search: slug, limit: 100 });
  const row = data.find((paste) => paste.slug === slug);
  if (!row) throw new NotListed(slug);
  return row.id;
}
