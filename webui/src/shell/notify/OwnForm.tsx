import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel, ChannelDraft, Digest, MadeChannel } from '../../api/admin/channels';
import { errorText } from '../../api/errorText';
import { changeOwnChannel, makeOwnChannel } from '../../api/notifications';
import { useLanguage, useT, type Language } from '../../i18n';
import { digestChoices, digestHint } from '../../shared/notify/digests';
import { ways } from '../../shared/notify/ways';
import { ownChannelsQuery } from '../../shared/query/notifications';
import { Button, PasswordField, SelectField, TextField } from '../../shared/ui';
import styles from './notify.module.css';

const names = {
  'share.opened': 'kind_opened',
  'share.used_up': 'kind_used_up',
  'share.expires_soon': 'kind_expires',
  'request.fulfilled': 'kind_request',
  'request.refused': 'kind_refused',
} as const;
const kinds = Object.keys(names) as (keyof typeof names)[];

/** usualKinds are what a new channel is told of. */
export const usualKinds: readonly string[] = kinds.filter((kind) => kind !== 'share.used_up');

/** messageLanguage is that of messages for somebody who reads the pages in a language. */
export const messageLanguage = (language: Language) => (language === 'en-US' ? 'en' : 'zh');

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

  function send(form: FormData) {
    const text = (name: string) => String(form.get(name) ?? '').trim();
    save.mutate({
      name: text('name'),
      kinds: kinds.filter((kind) => form.has(kind)),
      digest,
      ...(stored ? { active: form.has('active') } : { type }),
      ...(type !== 'push' && { address: text('address') }),
      ...(type !== 'webhook' && !stored && { language: messageLanguage(language) }),
      ...(text('secret') && { secret: text('secret') }),
      ...(type === 'mail' && {
        from: text('from'),
        to: text('to').split(/[,\s]+/),
        user: text('user'),
      }),
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
      {type !== 'push' && (
        <TextField
          label={t(`channels.addresses.${type}`)}
          hint={t(`channels.addressHints.${type}`)}
          name="address"
          required
          placeholder={ways.find((way) => way.type === type)?.example}
          defaultValue={stored?.address}
        />
      )}
      {type === 'mail' && (
        <>
          <TextField
            label={t('channels.to')}
            name="to"
            type="email"
            multiple
            required
            defaultValue={stored?.to?.join(', ')}
          />
          <TextField
            label={t('channels.from')}
            name="from"
            type="email"
            required
            defaultValue={stored?.from}
          />
          <TextField
            label={t('channels.user')}
            hint={t('channels.userHint')}
            name="user"
            optional
            autoComplete="off"
            defaultValue={stored?.user}
          />
        </>
      )}
      {type !== 'webhook' && type !== 'push' && (
        <PasswordField
          label={t(`channels.secrets.${type}`)}
          name="secret"
          autoComplete="off"
          {...(stored?.has_secret && { hint: t('channels.secretKeep') })}
          optional={type !== 'gotify' || stored !== undefined}
          required={type === 'gotify' && !stored}
        />
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
        {kinds.map((kind) => (
          <label key={kind}>
            <input
              type="checkbox"
              name={kind}
              defaultChecked={(stored?.kinds ?? usualKinds).includes(kind)}
            />
            {t(`channels.own.kinds.${names[kind]}`)}
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
