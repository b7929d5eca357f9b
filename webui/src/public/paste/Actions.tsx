import { CopyPlus, Download, Ellipsis, FileText, Link2, Printer, QrCode, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { deletePastes, listPastes, rawPasteUrl } from '../../api/pastes';
import type { Paste } from '../../api/types';
import { permissions } from '../../auth/permissions';
import { useSession } from '../../auth/session';
import { pageUrl } from '../../config';
import { useT } from '../../i18n';
import { copyText } from '../../shared/clipboard';
import { errorText } from '../../shared/errorText';
import { handOver } from '../../shared/handover';
import { saveBlob } from '../../shared/saveBlob';
import { Button, confirm, CopyButton, Menu, QrDialog, toast, type MenuItem } from '../../shared/ui';
import styles from './paste.module.css';
import { fileNameOf, type View } from './syntax';

interface ActionsProps {
  paste: Paste;
  text: string;
  password: string;
  view: View;
}

/** Actions is what a reader, and the owner, can do with a paste. */
export function Actions({ paste, text, password, view }: ActionsProps) {
  const t = useT();
  const session = useSession();
  const [, navigate] = useLocation();
  const [qr, setQr] = useState(false);
  const name = paste.remark?.trim() || paste.slug;
  const link = pageUrl(`/paste/${paste.slug}`);
  const mayDelete = session.can(permissions.TEXT) && session.owns(paste.created_by);

  // After the last view no link leads to the text any more.
  const linkWorks = !paste.isLastView;

  async function withRawLink(act: (raw: string) => void) {
    const agreed =
      password === '' ||
      (await confirm({
        title: t('pasteView.raw.title'),
        body: t('pasteView.raw.body'),
        confirmLabel: t('pasteView.raw.confirm'),
      }));
    if (agreed) act(rawPasteUrl(paste.slug, password));
  }

  async function copy(value: string) {
    if (await copyText(value)) toast.success(t('pasteView.actions.copied'));
    else toast.warning(t('pasteView.actions.notCopied'));
  }

  function fork() {
    handOver({ text, markdown: view === 'preview' });
    navigate('/');
  }

  async function remove() {
    await confirm({
      title: t('pasteView.delete.title', { name }),
      body: t('pasteView.delete.body'),
      confirmLabel: t('common.delete'),
      danger: true,
      run: async () => {
        try {
          await deletePastes([await idOf(paste.slug)]);
          toast.success(t('pasteView.delete.done'));
          navigate('/');
        } catch (error) {
          const reason = error instanceof NotListed ? t('pasteView.delete.notFound') : errorText(error, t);
          toast.error(t('pasteView.delete.failed', { reason }));
        }
      },
    });
  }

  const icon = { size: 18, 'aria-hidden': true } as const;
  const items: MenuItem[] = [
    ...(linkWorks
      ? [
          {
            label: t('pasteView.actions.copyRaw'),
            icon: <Link2 {...icon} />,
            run: () => void withRawLink((raw) => void copy(raw)),
          },
          {
            label: t('pasteView.actions.raw'),
            icon: <FileText {...icon} />,
            run: () => void withRawLink((raw) => window.open(raw, '_blank', 'noopener,noreferrer')),
          },
        ]
      : []),
    { label: t('pasteView.actions.print'), icon: <Printer {...icon} />, run: () => window.print() },
    { label: t('pasteView.actions.fork'), icon: <CopyPlus {...icon} />, run: fork },
    ...(mayDelete
      ? [
          {
            label: t('pasteView.actions.delete'),
            icon: <Trash2 {...icon} />,
            run: () => void remove(),
            danger: true,
          },
        ]
      : []),
  ];

  return (
    <div className={styles.actions} role="group" aria-label={t('pasteView.actions.label')}>
      <CopyButton variant="primary" text={text} label={t('pasteView.actions.copy')} />
      <Button
        icon={<Download {...icon} />}
        onClick={() =>
          saveBlob(
            new Blob([text], { type: 'text/plain;charset=utf-8' }),
            fileNameOf(name, paste.syntax, view),
          )
        }
      >
        {t('pasteView.actions.download')}
      </Button>
      {linkWorks && (
        <Button icon={<QrCode {...icon} />} onClick={() => setQr(true)}>
          {t('pasteView.actions.qr')}
        </Button>
      )}
      <Menu
        label={t('pasteView.actions.more')}
        items={items}
        button={(attributes) => (
          <Button {...attributes} variant="quiet" icon={<Ellipsis {...icon} />}>
            {t('pasteView.actions.more')}
          </Button>
        )}
      />
      {qr && <QrDialog link={link} fileName={`paste-${paste.slug}`} onClose={() => setQr(false)} />}
    </div>
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
