import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Pencil, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Channel, MadeChannel } from '../../api/admin/channels';
import { dropOwnChannel, testOwnChannel } from '../../api/notifications';
import { useT } from '../../i18n';
import { problemText } from '../../shared/notify/problemText';
import { SecretOnce } from '../../shared/notify/SecretOnce';
import { tellError } from '../../shared/offline/tellError';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { browserQuery } from '../../shared/query/browser';
import { ownChannelsQuery } from '../../shared/query/notifications';
import { Queries } from '../../shared/query/Queries';
import { useReading } from '../../shared/query/useReading';
import { Button, confirm, Dialog, IconButton, Skeleton, toast } from '../../shared/ui';
import { OwnForm } from './OwnForm';
import { ThisBrowser } from './ThisBrowser';
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
  const { data: browser } = useReading(browserQuery);
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
            <Row key={channel.id} channel={channel} here={channel.address === browser?.address} />
          ))}
        </ul>
      )}
      {adding ? (
        <OwnForm
          onDone={(channel) => {
            setAdding(false);
            if (channel && 'secret' in channel && channel.secret) setMade(channel);
          }}
        />
      ) : (
        <div className={styles.buttons}>
          {browser?.able && !data.some(({ address }) => address === browser.address) && (
            <ThisBrowser disabled={data.length >= most} />
          )}
          <Button disabled={data.length >= most} onClick={() => setAdding(true)}>
            {t('channels.own.add')}
          </Button>
        </div>
      )}
      {made && <SecretOnce made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

function Row({ channel, here }: { channel: Channel; here: boolean }) {
  const t = useT();
  const client = useQueryClient();
  const [editing, setEditing] = useState(false);
  const { id, name, type, address, active, stopped, failures, digest } = channel;
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
      title: t('channels.deleteOne', { name }),
      body: t('channels.deleteBody'),
      confirmLabel: t('channels.own.delete'),
      danger: true,
    });
    if (agreed) drop.mutate();
  }

  if (editing)
    return (
      <li>
        <OwnForm stored={channel} onDone={() => setEditing(false)} />
      </li>
    );
  const state = stopped
    ? t('channels.stopped')
    : !active
      ? t('channels.off')
      : failures > 0 && t('channels.failing');
  return (
    <li>
      <div>
        <strong>{name}</strong>{' '}
        <small>
          {here ? t('channels.own.thisBrowser') : t(`channels.types.${type}`)}
          {digest && ` · ${t(`channels.digests.${digest}`)}`}
          {state && ` · ${state}`}
        </small>
        {type !== 'push' && <code>{address}</code>}
      </div>
      <IconButton label={t('channels.own.edit', { name })} onClick={() => setEditing(true)}>
        <Pencil size={18} />
      </IconButton>
      <IconButton
        label={t('channels.own.test', { name })}
        disabled={test.isPending}
        onClick={() => test.mutate()}
      >
        <Send size={18} />
      </IconButton>
      <IconButton
        label={t('channels.own.deleteNamed', { name })}
        disabled={drop.isPending}
        onClick={() => void remove()}
      >
        <Trash2 size={18} />
      </IconButton>
    </li>
  );
}
