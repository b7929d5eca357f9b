import type { Received } from '../../api/requests';
import { config } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { useReading } from '../../shared/query/useReading';
import { CopyButton, Time } from '../../shared/ui';
import { receivedQuery } from '../data/queries';
import { FieldInput } from '../form/fields';
import { pairClass, Section } from '../form/PanelForm';
import { RecordForm, RecordPage } from '../form/RecordPage';
import { requestFields, type Row } from './fields';
import { Facts } from '../share/Facts';
import styles from './requests.module.css';

const titles = { create: 'requests.create', edit: 'requests.edit', list: 'admin.pages.requests' };

/** RequestForm makes a request or changes one, and lists what has come. */
export default function RequestForm() {
  const t = useT();
  const language = useLanguage();
  return (
    <RecordPage<Row> titles={titles}>
      {(row, reload) => (
        <>
          <RecordForm<Row> record={row} reload={reload} fields={requestFields(t, language, row)}>
            <Section>
              {row && (
                <p className={styles.link}>
                  <a href={row.url}>{row.url}</a>{' '}
                  <CopyButton iconOnly text={row.url} label={t('requests.copyLink')} />
                </p>
              )}
              <FieldInput source="name" />
              <FieldInput source="message" />
              {!row && <FieldInput source="folder" />}
              {row?.folder && <Facts of={[[t('requests.folder'), <code key="folder">{row.folder}</code>]]} />}
            </Section>
            <Section title={t('requests.rules')}>
              <FieldInput source="types" />
              <FieldInput source="max_files" />
              <FieldInput source="max_bytes" />
              <FieldInput source="max_file_bytes" />
              <div className={pairClass}>
                <FieldInput source="ask_name" />
                <FieldInput source="ask_note" />
              </div>
              {row?.folder !== '' && <FieldInput source="folder_per_sender" />}
            </Section>
            <Section title={t('requests.access')}>
              <FieldInput source="expires_at" />
              <FieldInput source="password" />
              {row?.has_password && <FieldInput source="open" />}
            </Section>
          </RecordForm>
          {row && <ReceivedFiles id={row.id} />}
        </>
      )}
    </RecordPage>
  );
}

/** ReceivedFiles are the newest files that have come through a request. */
function ReceivedFiles({ id }: { id: string }) {
  const t = useT();
  const { data } = useReading(receivedQuery(id));
  if (!data) return null;
  return (
    <section className={styles.received}>
      <h2>{t('requests.received')}</h2>
      {data.files.length === 0 ? (
        <p>{t('requests.receivedNone')}</p>
      ) : (
        <ul>
          {data.files.map((file) => (
            <Arrived key={file.id} file={file} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Arrived({ file }: { file: Received }) {
  const language = useLanguage();
  const folder = file.place.slice(0, file.place.lastIndexOf('/'));
  return (
    <li>
      {file.place.startsWith('/') ? (
        <a href={`${config.basePath}/mount-explorer${encodeURI(folder)}`}>{file.name}</a>
      ) : (
        <span>{file.name}</span>
      )}{' '}
      <small>
        {formatSize(file.size, language)}
        {file.sender && ` · ${file.sender}`}
        {file.stored_at && (
          <>
            {' · '}
            <Time value={file.stored_at} />
          </>
        )}
      </small>
      {file.note && <p className={styles.note}>{file.note}</p>}
    </li>
  );
}
