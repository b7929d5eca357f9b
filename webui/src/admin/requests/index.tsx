import { CircleStop, Link as LinkIcon, QrCode, SquareArrowOutUpRight } from 'lucide-react';
import { useState } from 'react';
import { useRefresh } from 'react-admin';
import { endRequest } from '../../api/requests';
import { useLanguage, useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { QrDialog } from '../../shared/ui';
import { useSession } from '../../auth/session';
import { sourcesQuery } from '../data/queries';
import { columnsOf } from '../form/fields';
import type { RowAction } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { Creator } from '../share/cells';
import { copyOut, madeBy } from '../share/columns';
import { useAct } from '../useAct';
import { requestFields, type Row } from './fields';

/** Requests are the links through which others send files: the caller's own, the administrator's list has all. */
export default function Requests() {
  const t = useT();
  const language = useLanguage();
  const refresh = useRefresh();
  const [code, setCode] = useState<Row>();
  const admin = useSession().kind === 'admin';
  const { ask } = useAct();

  const end = (row: Row) =>
    ask('requests.end', {
      values: { name: row.title },
      danger: true,
      run: () => endRequest(row.id).finally(refresh),
      done: t('requests.ended'),
    });

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
  ];

  return (
    <PanelList<Row>
      form
      words="requests"
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
      actions={actions}
      removes
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
