import { CircleStop, Inbox } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { errorText } from '../../api/errorText';
import type { Entry } from '../../api/fs';
import { createRequest, endRequest, type FileRequest } from '../../api/requests';
import { useT } from '../../i18n';
import { requestsChanged, requestsIntoQuery } from '../../shared/query/requests';
import { useReading } from '../../shared/query/useReading';
import { presetNames, typesOf, type TypePreset } from '../../shared/requests/types';
import {
  Button,
  confirm,
  CopyButton,
  Dialog,
  IconButton,
  PasswordField,
  QrDialog,
  SelectField,
  TextField,
  toast,
} from '../../shared/ui';
import styles from './explorer.module.css';

/** deadlines in days; 0 is none. */
const deadlines = { day: 1, week: 7, month: 30, never: 0 } as const;
type Deadline = keyof typeof deadlines;

interface RequestDialogProps {
  entry: Pick<Entry, 'name' | 'path'>;
  onClose: () => void;
}

/** RequestDialog makes a link through which others send files into a folder: its rules first, then the link. */
export default function RequestDialog({ entry, onClose }: RequestDialogProps) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [untitled, setUntitled] = useState(false);
  const [made, setMade] = useState<FileRequest>();
  const formId = 'request-form';

  async function make(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const text = (name: string) => String(values.get(name) ?? '');
    setUntitled(!text('title').trim());
    if (!text('title').trim()) {
      event.currentTarget.querySelector<HTMLElement>('[name=title]')?.focus();
      return;
    }
    setBusy(true);
    setProblem('');
    const days = deadlines[text('deadline') as Deadline];
    try {
      setMade(
        await createRequest({
          title: text('title').trim(),
          folder: entry.path,
          types: typesOf(text('types') as TypePreset),
          expires_at: days > 0 ? new Date(Date.now() + days * 86_400_000).toISOString() : null,
          ask_name: values.has('asked') ? 'required' : 'no',
          ask_note: values.has('asked') ? 'optional' : 'no',
          folder_per_sender: values.has('apart'),
          ...(text('password') && { password: text('password') }),
        }),
      );
      void requestsChanged();
    } catch (error) {
      setProblem(errorText(error, t));
    } finally {
      setBusy(false);
    }
  }

  if (made) return <Made made={made} onClose={onClose} />;
  return (
    <Dialog
      title={t('requests.dialogTitle', { name: entry.name })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={busy} icon={<Inbox size={18} />}>
            {t('requests.make')}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.requestForm} noValidate onSubmit={(event) => void make(event)}>
        <p>{t('requests.intro')}</p>
        <TextField
          name="title"
          label={t('requests.title')}
          hint={t('requests.titleHint')}
          error={untitled ? t('requests.titleMissing') : undefined}
          maxLength={200}
          defaultValue={entry.name}
        />
        <SelectField
          name="deadline"
          label={t('requests.deadline')}
          defaultValue="week"
          choices={(Object.keys(deadlines) as Deadline[]).map((value) => ({
            value,
            label: t(`requests.deadlines.${value}`),
          }))}
        />
        <SelectField
          name="types"
          label={t('requests.types')}
          hint={t('requests.typesHint')}
          defaultValue="any"
          choices={presetNames.map((value) => ({ value, label: t(`requests.presets.${value}`) }))}
        />
        <PasswordField name="password" label={t('requests.password')} optional autoComplete="new-password" />
        <label className={styles.requestChoice}>
          <input type="checkbox" name="asked" defaultChecked />
          {t('requests.askBoth')}
        </label>
        <label className={styles.requestChoice}>
          <input type="checkbox" name="apart" />
          {t('requests.perSender')}
        </label>
      </form>
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <Others folder={entry.path} />
    </Dialog>
  );
}

/** Others are the requests that take files into the folder already; each can be copied and ended. */
function Others({ folder }: { folder: string }) {
  const t = useT();
  const { data = [] } = useReading(requestsIntoQuery(folder));
  if (data.length === 0) return null;

  async function end({ id, title }: FileRequest) {
    const sure = await confirm({
      title: t('requests.endTitle', { name: title }),
      body: t('requests.endBody'),
      confirmLabel: t('requests.end'),
      danger: true,
    });
    if (!sure) return;
    try {
      await endRequest(id);
      toast.success(t('requests.ended'));
    } catch (error) {
      toast.error(errorText(error, t));
    }
    await requestsChanged();
  }

  return (
    <section className={styles.requestForm}>
      <h3>{t('requests.others')}</h3>
      <ul className={styles.requestList}>
        {data.map((request) => (
          <li key={request.id}>
            <span>
              {request.title} <small>({request.files})</small>
            </span>
            <CopyButton
              iconOnly
              text={request.url}
              label={t('requests.copyLinkOf', { name: request.title })}
            />
            <IconButton
              label={t('requests.endOf', { name: request.title })}
              onClick={() => void end(request)}
            >
              <CircleStop size={18} />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Made({ made, onClose }: { made: FileRequest; onClose: () => void }) {
  const t = useT();
  const [qr, setQr] = useState(false);
  if (qr) return <QrDialog link={made.url} fileName="request" onClose={() => setQr(false)} />;
  return (
    <Dialog
      title={t('requests.made')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={() => setQr(true)}>{t('requests.qr')}</Button>
          <CopyButton variant="primary" text={made.url} label={t('requests.copyLink')} />
          <Button onClick={onClose}>{t('common.close')}</Button>
        </>
      }
    >
      <TextField label={t('requests.link')} readOnly value={made.url} />
    </Dialog>
  );
}
