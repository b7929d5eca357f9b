import { useState } from 'react';
import { useT, type Translate } from '../i18n';
import type { QueueItem } from '../shared/offline/db';
import { Button, Dialog, Field, inputClass, PasswordField, TextField, Time } from '../shared/ui';
import { lazyView } from '../shared/view/View';
import { useStore } from '../store';
import { amend, asNew, discard, hasText, isGone, isOvertaken, isTaken, slugField, textOf } from './queue';
import styles from './QueueDialog.module.css';
import { queueState } from './queueState';
import { resend, sync } from './sync';
import { appState } from './worker';

const Versions = lazyView(() => import('./Versions'));

/** QueueDialog lists what waits for the network; each entry can be changed, sent again or given up (QUEUE). */
export default function QueueDialog({ onClose }: { onClose: () => void }) {
  const t = useT();
  const { items, syncing } = useStore(queueState);
  const { online } = useStore(appState);
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

function Entry({ item }: { item: QueueItem }) {
  const t = useT();
  const [editing, setEditing] = useState(false);
  const [password, setPassword] = useState('');
  const { online } = useStore(appState);
  const isStuck = item.status === 'conflict' && hasText(item);
  const summary = summaryOf(item, t);
  return (
    <li className={styles.entry}>
      <h3>{t(`pwa.kind.${item.type}`)}</h3>
      <p className={styles.facts}>
        <span>{t(`pwa.state.${isStuck && isTaken(item) ? 'taken' : item.status}`)}</span> ·{' '}
        <Time value={new Date(item.timestamp).toISOString()} />
      </p>
      {item.reason && <p className={styles.reason}>{reasonOf(item, t)}</p>}
      {summary && !editing && !isStuck && (
        <pre className={styles.text} tabIndex={0} aria-label={t('pwa.queue.mine')}>
          {summary}
        </pre>
      )}
      {item.type === 'verifyFilePassword' && <p className={styles.reason}>{t('pwa.queue.inMemory')}</p>}
      {item.status === 'needs_input' && item.type !== 'verifyFilePassword' && (
        <form
          className={styles.edit}
          onSubmit={(event) => {
            event.preventDefault();
            if (password && online) void sync({ [item.id]: password });
          }}
        >
          <PasswordField
            label={t('pwa.queue.password')}
            value={password}
            autoComplete="new-password"
            onChange={(event) => setPassword(event.target.value)}
          />
          <div className={styles.actions}>
            <Button type="submit" disabled={!online}>
              {t('pwa.queue.send')}
            </Button>
          </div>
        </form>
      )}
      {isGone(item) && !editing && <Anew item={item} />}
      {isStuck && !editing && <Versions key={`${item.etag} ${item.idempotencyKey}`} item={item} />}
      {isStuck && !editing && isTaken(item) && <Elsewhere item={item} />}
      {editing && <Edit item={item} onDone={() => setEditing(false)} />}
      <div className={styles.actions}>
        {hasText(item) && !editing && <Button onClick={() => setEditing(true)}>{t('pwa.queue.edit')}</Button>}
        {['failed', 'needs_sign_in', 'retry'].includes(item.status) && !isGone(item) && (
          <Button onClick={() => resend(item)}>{t('common.retry')}</Button>
        )}
        {isOvertaken(item) && (
          <Button onClick={() => resend(item, { etag: '' })}>{t('pwa.queue.keepMine')}</Button>
        )}
        {(!isStuck || isTaken(item)) && (
          <Button variant="danger" onClick={() => void discard(item.id)}>
            {t('pwa.queue.discard')}
          </Button>
        )}
      </div>
    </li>
  );
}

/** summaryOf shows what a write holds: the beginning of a text, settings line by line, how many are deleted. */
function summaryOf({ type, data }: QueueItem, t: Translate): string {
  if (type === 'updateGroupSettings')
    return Object.entries(data)
      .map(([key, value]) => `${key} = ${String(value)}`)
      .join('\n');
  if (type === 'batchDelete') return t('pwa.queue.deletes', Array.isArray(data.ids) ? data.ids.length : 0);
  return textOf(data.content).slice(0, 300);
}

const known = ['too_old', 'unknown_call', 'unknown', 'network', 'timeout'];
const reasonOf = (item: QueueItem, t: Translate): string => {
  const { reason, code } = item;
  if (code === 'slug_taken') return t('pwa.reason.slug_taken');
  if (isGone(item)) return t('pwa.reason.gone');
  return known.includes(reason) ? t(`pwa.reason.${reason}`) : reason;
};

/** Elsewhere gives a text whose link suffix another one has taken a suffix of its own. */
function Elsewhere({ item }: { item: QueueItem }) {
  const t = useT();
  const [slug, setSlug] = useState('');
  const [problem, setProblem] = useState('');
  const { [slugField(item)]: taken, ...rest } = item.data;
  return (
    <form
      className={styles.edit}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const isUsable = slug !== taken && /^[A-Za-z0-9_-]{1,50}$/.test(slug);
        setProblem(isUsable ? '' : t('pwa.queue.slugRule'));
        if (isUsable) resend(item, { data: { ...item.data, [slugField(item)]: slug } });
      }}
    >
      <TextField
        label={t('pwa.queue.newSlug')}
        value={slug}
        error={problem}
        onChange={(event) => setSlug(event.target.value)}
      />
      <div className={styles.actions}>
        <Button type="submit" variant="primary">
          {t('pwa.queue.useSlug')}
        </Button>
        <Button onClick={() => resend(item, { data: rest })}>
          {t(item.type === 'createPaste' ? 'pwa.queue.anySlug' : 'pwa.queue.sameSlug')}
        </Button>
      </div>
    </form>
  );
}

/** Anew shares the text of a change as a new text, where the one that it belongs to is gone. */
function Anew({ item }: { item: QueueItem }) {
  const t = useT();
  const [password, setPassword] = useState('');
  return (
    <form
      className={styles.edit}
      onSubmit={(event) => {
        event.preventDefault();
        resend(item, asNew(item, password !== ''), password);
      }}
    >
      <PasswordField
        label={t('pwa.queue.newPassword')}
        value={password}
        autoComplete="new-password"
        onChange={(event) => setPassword(event.target.value)}
      />
      <div className={styles.actions}>
        <Button type="submit" variant="primary">
          {t('pwa.queue.saveAsNew')}
        </Button>
      </div>
    </form>
  );
}

function Edit({ item, onDone }: { item: QueueItem; onDone: () => void }) {
  const t = useT();
  const [content, setContent] = useState(textOf(item.data.content));
  const [slug, setSlug] = useState(textOf(item.data[slugField(item)]));
  const save = () => {
    void amend(item.id, { data: { ...item.data, content, [slugField(item)]: slug || undefined } }).then(
      onDone,
    );
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
