import { CircleAlert, CircleCheck, RefreshCw, TriangleAlert } from 'lucide-react';
import type { Finding } from '../../api/admin/operations';
import { useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { Button, Time } from '../../shared/ui';
import { doctorQuery } from '../data/queries';
import { PanelPage } from '../list/PanelPage';
import { Detail } from '../ops/Detail';
import { Loaded } from '../ops/Loaded';
import styles from '../ops/ops.module.css';

const icons = { ok: CircleCheck, warning: TriangleAlert, problem: CircleAlert };
const tones = { ok: styles.good, warning: styles.warn, problem: styles.bad };

/** Doctor shows what the server found wrong with its installation, and what helps. */
export default function Doctor() {
  const t = useT();
  const found = useReading(doctorQuery);
  const { data, isFetching, retry } = found;
  return (
    <PanelPage intro={t('ops.doctor.intro')}>
      <div className={styles.part}>
        <div className={styles.between}>
          <p role="status">
            {isFetching && t('ops.doctor.running')}
            {!isFetching && data && (
              <>
                {t(`ops.doctor.level.${data.level}`)} · <Time value={data.at} />
              </>
            )}
          </p>
          <Button busy={isFetching} icon={<RefreshCw size={18} />} onClick={retry}>
            {t('ops.doctor.again')}
          </Button>
        </div>
        <Loaded of={found} lines={10}>
          {({ findings }) => (
            <ul className={styles.cards}>
              {findings.map((finding) => (
                <li key={`${finding.id} ${finding.about} ${finding.level}`} className={styles.panel}>
                  <Shown finding={finding} />
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </div>
    </PanelPage>
  );
}

function Shown({ finding: { level, cause, remedy, detail, about } }: { finding: Finding }) {
  const t = useT();
  const Icon = icons[level];
  return (
    <>
      <h2>
        <Icon size={18} role="img" aria-label={t(`ops.doctor.levels.${level}`)} className={tones[level]} />{' '}
        {about && !cause.includes(about) ? t('ops.doctor.about', { about, cause }) : cause}
      </h2>
      {remedy && <p>{remedy}</p>}
      {detail && <Detail text={detail} />}
    </>
  );
}
