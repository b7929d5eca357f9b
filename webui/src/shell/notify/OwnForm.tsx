import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel, ChannelDraft, Digest, MadeChannel } from '../../api/admin/channels';
import { errorText } from '../../api/errorText';
import { changeOwnChannel, makeOwnChannel } from '../../api/notifications';
import { useLanguage, useT } from '../../i18n';
import { digestChoices, digestHint } from '../../shared/notify/digests';
import { messageLanguage, ownKinds, partsOf, sent } from '../../shared/notify/parts';
import { ways } from '../../shared/notify/ways';
import { ownChannelsQuery } from '../../shared/query/notifications';
import { Button, PasswordField, SelectField, TextField } from '../../shared/ui';
import styles from './notify.module.css';

const kinds = Object.entries(ownKinds);

/** usualKinds are what a new channel is told of. */
export const usualKinds: readonly string[] = Object.values(ownKinds).filter(
  (kind) => kind !== 'share.used_up',
);

/** OwnForm makes a channel of one's own, or changes `stored`. */
export function OwnForm({
  stored,
  onDone,
}: {
  stored?: Channel;
  onDone: (saved?: Channel | MadeChannel) => void;
}) {
  const t = useT();
  const language = useLanguage();
  const client = useQueryClient();
  const [type, setType] = useState<Channel['type']>(stored?.type ?? 'ntfy');
  const [digest, setDigest] = useState<Digest>(stored?.digest ?? '');
  const save = useMutation<Channel, Error, ChannelDraft>({
    mutationFn: (draft) => (stored ? changeOwnChannel(stored.id, draft, stored.etag) : makeOwnChannel(draft)),
    onSuccess: async (saved) => {
      await client.invalidateQueries({ queryKey: ownChannelsQuery.queryKey });
      onDone(saved);
    },
  });

  const parts = partsOf(type, t, stored?.has_secret);

  function send(form: FormData) {
    const text = (name: string) => String(form.get(name) ?? '').trim();
    save.mutate({
      name: text('name'),
      kinds: kinds.flatMap(([name, kind]) => (form.has(name) ? [kind] : [])),
      digest,
      ...(stored ? { active: form.has('active') } : { type }),
      ...(type !== 'webhook' && !stored && { language: messageLanguage(language) }),
      ...Object.fromEntries(parts.map(({ name }) => [name, sent(type, name, form.get(name))])),
    });
  }

  return (
    <form
      className={styles.form}
      aria-label={stored ? t('channels.edit', { name: stored.name }) : t('channels.create')}
      onSubmit={(event) => {
        event.preventDefault();
        send(new FormData(event.currentTarget));
      }}
    >
      {!stored && (
        <SelectField
          label={t('channels.type')}
          value={type}
          choices={ways.map(({ type: value }) => ({ value, label: t(`channels.types.${value}`) }))}
          onChange={(event) => setType(event.target.value as Channel['type'])}
        />
      )}
      <TextField
        label={t('channels.name')}
        name="name"
        required
        maxLength={100}
        defaultValue={stored?.name}
        autoFocus={stored !== undefined}
      />
      {parts.map(({ name, ...words }) =>
        name === 'secret' ? (
          <PasswordField key={name} name={name} autoComplete="off" required={!words.optional} {...words} />
        ) : (
          <TextField
            key={`${type} ${name}`}
            name={name}
            required={!words.optional}
            autoComplete="off"
            defaultValue={name === 'to' ? stored?.to?.join(', ') : stored?.[name]}
            {...words}
          />
        ),
      )}
      <SelectField
        label={t('channels.digest')}
        hint={digestHint(digest, t, language)}
        value={digest}
        choices={digestChoices(t)}
        onChange={(event) => setDigest(event.target.value as Digest)}
      />
      <fieldset className={styles.kinds}>
        <legend>{t('channels.events')}</legend>
        {kinds.map(([name, kind]) => (
          <label key={kind}>
            <input
              type="checkbox"
              name={name}
              defaultChecked={(stored?.kinds ?? usualKinds).includes(kind)}
            />
            {t(`channels.own.kinds.${name}`)}
          </label>
        ))}
      </fieldset>
      {stored && (
        <label className={styles.active}>
          <input type="checkbox" name="active" defaultChecked={stored.active} />
          {t('channels.active')}
        </label>
      )}
      {save.error && (
        <p role="alert" className={styles.problem}>
          {errorText(save.error, t)}
        </p>
      )}
      <div className={styles.buttons}>
        <Button type="submit" variant="primary" busy={save.isPending}>
          {stored ? t('channels.own.keep') : t('channels.own.save')}
        </Button>
        <Button onClick={() => onDone()}>{t('common.cancel')}</Button>
      </div>
    </form>
  );
}
