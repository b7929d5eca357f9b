import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Channel, MadeChannel } from '../../api/admin/channels';
import { errorText } from '../../api/errorText';
import { dropOwnChannel, makeOwnChannel, testOwnChannel } from '../../api/notifications';
import { useLanguage, useT } from '../../i18n';
import { problemText } from '../../shared/notify/problemText';
import { SecretOnce } from '../../shared/notify/SecretOnce';
import { ways } from '../../shared/notify/ways';
import { tellError } from '../../shared/offline/tellError';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { ownChannelsQuery } from '../../shared/query/notifications';
import { Queries } from '../../shared/query/Queries';
import { useReading } from '../../shared/query/useReading';
import {
  Button,
  confirm,
  Dialog,
  IconButton,
  PasswordField,
  SelectField,
  Skeleton,
  TextField,
  toast,
} from '../../shared/ui';
import dialog from '../dialog.module.css';
import styles from './notify.module.css';

const most = 5;

/** NotifyDialog has the notification channels of whoever is signed in. */
export default function NotifyDialog({ onClose }: { onClose: () => void }) {
  const t = useT();
  return (
    <Dialog title={t('channels.own.title')} onClose={onClose}>
      <div className={dialog.body}>
        <p className={dialog.note}>{t('channels.own.intro')}</p>
        <Queries>
          <Own />
        </Queries>
      </div>
    </Dialog>
  );
}

function Own() {
  const t = useT();
  const { data, error, retry } = useReading(ownChannelsQuery);
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<MadeChannel>();
  if (error) return <ErrorPanel error={error} onRetry={retry} />;
  if (!data) return <Skeleton lines={4} />;
  return (
    <>
      {data.length === 0 && <p>{t('channels.own.none')}</p>}
      {data.length > 0 && (
        <ul className={styles.list}>
          {data.map((channel) => (
            <Row key={channel.id} channel={channel} />
          ))}
        </ul>
      )}
      {adding ? (
        <Add
          onDone={(channel) => {
            setAdding(false);
            if (channel?.secret) setMade(channel);
          }}
        />
      ) : (
        <div>
          <Button disabled={data.length >= most} onClick={() => setAdding(true)}>
            {t('channels.own.add')}
          </Button>
        </div>
      )}
      {made && <SecretOnce made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

function Row({ channel }: { channel: Channel }) {
  const t = useT();
  const client = useQueryClient();
  const { id, name, type, address, stopped, failures } = channel;
  const test = useMutation({
    mutationFn: () => testOwnChannel(id),
    onSuccess: ({ arrived, status, problem, detail }) => {
      if (arrived) toast.success(t('channels.tested', { name }));
      else toast.error(t('channels.testFailed', { name, problem: problemText(problem, status, t, detail) }));
    },
    onError: (error) => tellError(error, t),
  });
  const drop = useMutation({
    mutationFn: () => dropOwnChannel(id),
    onSuccess: () => client.invalidateQueries({ queryKey: ownChannelsQuery.queryKey }),
    onError: (error) => tellError(error, t),
  });

  async function remove() {
    const agreed = await confirm({
      title: t('channels.deleteTitle', { name }),
      body: t('channels.deleteBody'),
      confirmLabel: t('channels.own.delete'),
      danger: true,
    });
    if (agreed) drop.mutate();
  }

  return (
    <li>
      <div>
        <strong>{name}</strong>{' '}
        <small>
          {t(`channels.types.${type}`)}
          {stopped ? ` · ${t('channels.stopped')}` : failures > 0 && ` · ${t('channels.failing')}`}
        </small>
        <code>{address}</code>
      </div>
      <IconButton
        label={t('channels.own.test', { name })}
        disabled={test.isPending}
        onClick={() => test.mutate()}
      >
        <Send size={18} aria-hidden="true" />
      </IconButton>
      <IconButton
        label={t('channels.own.deleteNamed', { name })}
        disabled={drop.isPending}
        onClick={() => void remove()}
      >
        <Trash2 size={18} aria-hidden="true" />
      </IconButton>
    </li>
  );
}

const kinds = [
  'share.opened',
  'share.used_up',
  'share.expires_soon',
  'request.fulfilled',
  'request.refused',
] as const;
const names = {
  'share.opened': 'kind_opened',
  'share.used_up': 'kind_used_up',
  'share.expires_soon': 'kind_expires',
  'request.fulfilled': 'kind_request',
  'request.refused': 'kind_refused',
} as const;

/** Add is the form of a new channel. */
function Add({ onDone }: { onDone: (made?: MadeChannel) => void }) {
  const t = useT();
  const language = useLanguage();
  const client = useQueryClient();
  const [type, setType] = useState<Channel['type']>('ntfy');
  const make = useMutation({
    mutationFn: makeOwnChannel,
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ownChannelsQuery.queryKey });
      onDone(made);
    },
  });

  function send(form: FormData) {
    const text = (name: string) => String(form.get(name) ?? '').trim();
    make.mutate({
      name: text('name'),
      type,
      address: text('address'),
      kinds: kinds.filter((kind) => form.has(kind)),
      ...(type !== 'webhook' && { language: language === 'en-US' ? ('en' as const) : ('zh' as const) }),
      ...(type !== 'webhook' && text('secret') && { secret: text('secret') }),
      ...(type === 'mail' && { from: text('from'), to: [text('to')], user: text('user') }),
    });
  }

  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        send(new FormData(event.currentTarget));
      }}
    >
      <SelectField
        label={t('channels.type')}
        value={type}
        choices={ways.map(({ type: value }) => ({ value, label: t(`channels.types.${value}`) }))}
        onChange={(event) => setType(event.target.value as Channel['type'])}
      />
      <TextField label={t('channels.name')} name="name" required maxLength={100} />
      <TextField
        label={t(`channels.addresses.${type}`)}
        hint={t(`channels.addressHints.${type}`)}
        name="address"
        required
        placeholder={ways.find((way) => way.type === type)?.example}
      />
      {type === 'mail' && (
        <>
          <TextField label={t('channels.to')} name="to" type="email" required />
          <TextField label={t('channels.from')} name="from" type="email" required />
          <TextField
            label={t('channels.user')}
            hint={t('channels.userHint')}
            name="user"
            optional
            autoComplete="off"
          />
        </>
      )}
      {type !== 'webhook' && (
        <PasswordField
          label={t(`channels.secrets.${type}`)}
          name="secret"
          autoComplete="off"
          optional={type !== 'gotify'}
          required={type === 'gotify'}
        />
      )}
      <fieldset className={styles.kinds}>
        <legend>{t('channels.events')}</legend>
        {kinds.map((kind) => (
          <label key={kind}>
            <input type="checkbox" name={kind} defaultChecked={kind !== 'share.used_up'} />
            {t(`channels.own.kinds.${names[kind]}`)}
          </label>
        ))}
      </fieldset>
      {make.error && (
        <p role="alert" className={styles.problem}>
          {errorText(make.error, t)}
        </p>
      )}
      <div className={styles.buttons}>
        <Button type="submit" variant="primary" busy={make.isPending}>
          {t('channels.own.save')}
        </Button>
        <Button onClick={() => onDone()}>{t('common.cancel')}</Button>
      </div>
    </form>
  );
}
