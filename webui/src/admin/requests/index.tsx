import { CircleStop, Inbox, Link as LinkIcon, QrCode, SquareArrowOutUpRight } from 'lucide-react';
import { useState } from 'react';
import { useRefresh } from 'react-admin';
import { endRequest } from '../../api/requests';
import { useLanguage, useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { confirm, QrDialog, toast } from '../../shared/ui';
import { useSession } from '../../auth/session';
import { sourcesQuery } from '../data/queries';
import { columnsOf } from '../form/fields';
import type { RowAction } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { deleteAction } from '../list/usualActions';
import { Creator } from '../share/cells';
import { copyOut, madeBy } from '../share/columns';
import { useRemoval } from '../share/useRemoval';
import { requestFields, type Row } from './fields';

/** Requests are the links through which others send files: the caller's own, the administrator's list has all. */
export default function Requests() {
  const t = useT();
  const language = useLanguage();
  const refresh = useRefresh();
  const [code, setCode] = useState<Row>();
  const admin = useSession().kind === 'admin';
  const removal = useRemoval('requests');

  async function end(row: Row) {
    const sure = await confirm({
      title: t('requests.endTitle', { name: row.title }),
      body: t('requests.endBody'),
      confirmLabel: t('requests.end'),
      danger: true,
    });
    if (!sure) return;
    await endRequest(row.id);
    toast.success(t('requests.ended'));
    refresh();
  }

  const actions = (row: Row): RowAction[] => [
    {
      label: t('requests.copyLink'),
      icon: LinkIcon,
      run: () => void copyOut(row.url, t('requests.copied'), t),
      shown: true,
    },
    { label: t('requests.qr'), icon: QrCode, run: () => setCode(row) },
    {
      label: t('requests.open'),
      icon: SquareArrowOutUpRight,
      run: () => window.open(row.url, '_blank', 'noopener'),
    },
    ...(row.state === 'ended'
      ? []
      : [{ label: t('requests.end'), icon: CircleStop, run: () => end(row), danger: true }]),
    deleteAction(t, () => removal.remove([row])),
  ];

  return (
    <PanelList<Row>
      title={t('admin.pages.requests')}
      form
      words="requests"
      icon={Inbox}
      columns={[
        ...columnsOf(requestFields(t, language)),
        ...(admin
          ? [
              {
                source: 'created_by',
                roomy: true,
                label: t('admin.share.creator'),
                csv: false as const,
                render: (row: Row) => <By row={row} />,
              },
            ]
          : []),
      ]}
      nameOf={(row) => row.title}
      actions={actions}
      sort={{ field: 'created_at', order: 'DESC' }}
      exportName="requests"
      removal={removal}
    >
      {code && <QrDialog link={code.url} fileName="request" onClose={() => setCode(undefined)} />}
    </PanelList>
  );
}

/** By is who made a request, for administrators. */
function By({ row }: { row: Row }) {
  const { data: known } = useReading(sourcesQuery);
  return known && <Creator row={madeBy(row.created_by, known.keys)} />;
}
