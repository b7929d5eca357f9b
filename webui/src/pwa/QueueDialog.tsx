import { useState } from 'react';
import { getPaste } from '../api/pastes';
import { useT } from '../i18n';
import { errorText } from '../shared/errorText';
import { Button, Dialog, Field, inputClass, PasswordField, TextField, Time, toast } from '../shared/ui';
import { sync } from '.';
import type { QueueItem } from '../shared/offline/db';
import { amend, discard } from './queue';
import styles from './QueueDialog.module.css';
import { queueState } from './queueState';
import { appState } from './worker';

/** QueueDialog lists what waits for the network; each entry can be changed, sent again or given up (QUEUE). */
export default function QueueDialog({ onClose }: { onClose: () => void }) {
  const t = useT();
  const { items, syncing } = queueState.use();
  const { online } = appState.use();
  return (
    <Dialog
      title={t('pwa.queue.title')}
      wide
      onClose={onClose}
      footer={
        <Button
          variant="primary"
          busy={syncing}
          disabled={!online || items.length === 0}
          onClick={() => void sync()}
        >
          {t('pwa.queue.sync')}
        </Button>
      }
    >
      {items.length === 0 ? (
        <p>{t('pwa.queue.empty')}</p>
      ) : (
        <ul className={styles.list}>
          {items.map((item) => (
            <Entry key={item.id} item={item} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function Entry({ item }: { item: QueueItem }) {
  const t = useT();
  const [editing, setEditing] = useState(false);
  const [password, setPassword] = useState('');
  const text = textOf(item.data.content);
  const hasText = item.type === 'createPaste' || item.type === 'updatePaste';
  return (
    <li className={styles.entry}>
      <h3>{t(`pwa.kind.${item.type}`)}</h3>
      <p className={styles.facts}>
        <span>{t(`pwa.state.${item.status}`)}</span> · <Time value={new Date(item.timestamp).toISOString()} />
      </p>
      {item.reason && <p className={styles.reason}>{reasonOf(item.reason, t)}</p>}
      {text && !editing && <pre className={styles.text}>{text.slice(0, 300)}</pre>}
      {item.type === 'verifyFilePassword' && <p className={styles.reason}>{t('pwa.queue.inMemory')}</p>}
      {item.status === 'needs_input' && item.type !== 'verifyFilePassword' && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (password) void sync({ [item.id]: password });
          }}
        >
          <PasswordField
            label={t('pwa.queue.password')}
            value={password}
            autoComplete="new-password"
            onChange={(event) => setPassword(event.target.value)}
          />
          <Button type="submit">{t('pwa.queue.send')}</Button>
        </form>
      )}
      {item.status === 'conflict' && item.type === 'updatePaste' && <Versions item={item} />}
      {editing && <Edit item={item} onDone={() => setEditing(false)} />}
      <div className={styles.actions}>
        {hasText && !editing && <Button onClick={() => setEditing(true)}>{t('pwa.queue.edit')}</Button>}
        {['failed', 'conflict', 'needs_sign_in', 'retry'].includes(item.status) && (
          <Button onClick={() => void amend(item.id, {}).then(() => sync())}>{t('common.retry')}</Button>
        )}
        <Button variant="danger" onClick={() => void discard(item.id)}>
          {t('pwa.queue.discard')}
        </Button>
      </div>
    </li>
  );
}

const known = ['too_old', 'unknown_call', 'unknown', 'network', 'timeout'];
const reasonOf = (reason: string, t: (key: string) => string): string =>
  known.includes(reason) ? t(`pwa.reason.${reason}`) : reason;

/** Versions shows what the server holds beside what was written here, and lets one of them win. */
function Versions({ item }: { item: QueueItem }) {
  const t = useT();
  const [theirs, setTheirs] = useState<{ text: string; etag: string }>();
  const load = () =>
    getPaste(item.endpoint.split('/').at(-1) ?? '')
      .then(({ paste, etag }) => setTheirs({ text: textOf(paste.content), etag }))
      .catch((error: unknown) => toast.error(errorText(error, t)));
  if (!theirs) return <Button onClick={() => void load()}>{t('pwa.queue.compare')}</Button>;
  return (
    <>
      <div className={styles.versions}>
        <section>
          <h4>{t('pwa.queue.mine')}</h4>
          <pre className={styles.text}>{textOf(item.data.content)}</pre>
        </section>
        <section>
          <h4>{t('pwa.queue.theirs')}</h4>
          <pre className={styles.text}>{theirs.text}</pre>
        </section>
      </div>
      <div className={styles.actions}>
        <Button
          variant="primary"
          onClick={() => void amend(item.id, { etag: theirs.etag }).then(() => sync())}
        >
          {t('pwa.queue.keepMine')}
        </Button>
        <Button onClick={() => void discard(item.id)}>{t('pwa.queue.keepTheirs')}</Button>
      </div>
    </>
  );
}

function Edit({ item, onDone }: { item: QueueItem; onDone: () => void }) {
  const t = useT();
  const [content, setContent] = useState(textOf(item.data.content));
  const [slug, setSlug] = useState(textOf(item.data.slug));
  const save = () => {
    void amend(item.id, { data: { ...item.data, content, slug: slug || undefined } }).then(onDone);
  };
  return (
    <form
      className={styles.edit}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Field label={t('pwa.queue.content')}>
        {(control) => (
          <textarea
            {...control}
            className={inputClass}
            rows={8}
            value={content}
            onChange={(event) => setContent(event.target.value)}
          />
        )}
      </Field>
      <TextField label={t('pwa.queue.slug')} value={slug} onChange={(event) => setSlug(event.target.value)} />
      <div className={styles.actions}>
        <Button type="submit" variant="primary">
          {t('pwa.save')}
        </Button>
        <Button onClick={onDone}>{t('common.cancel')}</Button>
      </div>
    </form>
  );
}
