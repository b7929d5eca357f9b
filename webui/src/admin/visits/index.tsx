import { CircleAlert, CircleCheck } from 'lucide-react';
import { pageUrl } from '../../config';
import { useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { whatText, whoText } from '../../shared/visits/words';
import { choicesOf } from '../../shared/ui';
import { sourcesQuery } from '../data/queries';
import type { VisitRow } from '../data/rest';
import type { Column } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { Chip } from '../share/cells';
import { keyChoices, kindFilter } from '../share/columns';
import styles from '../share/share.module.css';

const verdicts = ['opened', 'password_wrong', 'used_up', 'expired', 'key_required'] as const;

/** Visits shows who opened shares, and who was turned away. */
export default function Visits() {
  const t = useT();
  const { data: known } = useReading(sourcesQuery);
  const nameOf = (row: VisitRow) => row.name || row.slug;
  const columns: Column<VisitRow>[] = [
    { source: 'timestamp', label: t('visits.when'), as: 'time' },
    {
      source: 'slug',
      label: t('visits.share'),
      title: true,
      csv: (row) => pageUrl(`/${row.kind}/${row.slug}`),
      render: (row) => <span className={styles.clip}>{nameOf(row)}</span>,
    },
    {
      source: 'verdict',
      label: t('visits.verdict'),
      render: (row) =>
        row.verdict === 'opened' ? (
          <Chip tone="ok" icon={<CircleCheck size={14} />}>
            {t('visits.verdicts.opened')}
          </Chip>
        ) : (
          <Chip tone="danger" icon={<CircleAlert size={14} />}>
            {t(`visits.verdicts.${row.verdict}`)}
          </Chip>
        ),
    },
    {
      source: 'how',
      label: t('visits.how.label'),
      csv: (row) => whatText(row, t),
      render: (row) => whatText(row, t),
    },
    {
      source: 'who',
      label: t('visits.who'),
      csv: (row) => whoText(row, t),
      render: (row) => whoText(row, t),
    },
    { source: 'address', label: t('visits.address') },
    { source: 'agent', label: t('visits.agent') },
    { source: 'times', label: t('visits.count'), number: true, hidden: true },
  ];
  return (
    <PanelList<VisitRow>
      words="visits"
      columns={columns}
      nameOf={nameOf}
      sort={{ field: 'timestamp', order: 'DESC' }}
      exportName="access-log"
      filters={[
        {
          name: 'verdict',
          label: t('visits.verdict'),
          choices: choicesOf(verdicts, (value) => t(`visits.verdicts.${value}`)),
        },
        kindFilter(t),
        {
          name: 'created_by',
          label: t('ops.shares.from'),
          choices: keyChoices(t, known?.keys),
        },
      ]}
    />
  );
}
