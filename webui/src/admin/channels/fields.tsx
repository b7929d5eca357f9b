import type { Channel } from '../../api/admin/channels';
import type { Language, Translate } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { digestChoices } from '../../shared/notify/digests';
import { messageLanguage, ownKinds, sent, type Part } from '../../shared/notify/parts';
import { ways } from '../../shared/notify/ways';
import type { Fields } from '../form/fields';
import { checks } from '../form/validate';
import { Link } from '../router';
import { Chip } from '../share/cells';
import styles from '../share/share.module.css';

/** kinds are what can be chosen in the form, by the source of its input; what else a channel wants, it keeps. */
export const kinds = {
  ...ownKinds,
  kind_backup: 'backup.failed',
  kind_down: 'storage.down',
  kind_up: 'storage.up',
  kind_place: 'account.new_place',
  kind_credential: 'audit.credential.*',
  kind_key: 'audit.key.*',
  kind_policy: 'audit.policy.*',
  kind_storage: 'audit.storage.*',
  kind_mount: 'audit.mount.*',
  kind_audit: 'audit.*',
} as const;

const usual = ['kind_request', 'kind_backup', 'kind_place'];

/** kindsOf is what a form wants to be told of. */
const kindsOf = (values: Readonly<Record<string, unknown>>, stored: readonly string[]) => {
  const offered = Object.values<string>(kinds);
  return [
    ...Object.entries(kinds)
      .filter(([source]) => values[source] === true)
      .map(([, kind]) => kind as string),
    ...stored.filter((kind) => !offered.includes(kind)),
  ];
};

/** channelFields are the fields of a channel, in the order of its list; `stored` is the one that a form changes. */
export function channelFields(t: Translate, language: Language, stored?: Channel): Fields<Channel> {
  const check = checks(t);
  const count = (of: 'waiting' | 'delivered' | 'dead') => ({
    label: t(`channels.${of}`),
    column: { number: true, render: (row: Channel) => formatNumber(row[of], language) },
  });
  const part = (name: Part['name']): Fields<Channel>[string] => ({
    kind: 'text',
    label: t(`channels.${name}`),
    write: (value, { type }) => sent(type as Channel['type'], name, value),
  });
  const choices = Object.fromEntries(
    Object.entries(kinds).map(([source, kind]): [string, Fields<Channel>[string]] => [
      source,
      {
        kind: 'switch',
        of: 'kinds',
        label: t(`channels.kinds.${source}`),
        initial: usual.includes(source),
        read: (value) => (value as string[]).includes(kind),
        write: (_, values) => kindsOf(values, stored?.kinds ?? []),
      },
    ]),
  );
  return {
    name: {
      kind: 'text',
      label: t('channels.name'),
      input: { validate: [check.required, check.longest(100)] },
      column: { title: true, render: (row) => <Link to={`/admin/notifications/${row.id}`}>{row.name}</Link> },
    },
    type: {
      kind: 'choice',
      label: t('channels.type'),
      initial: 'webhook',
      write: (value) => (stored ? undefined : String(value)),
      input: {
        // A channel stays of the type that it was made.
        choices: (stored ? [stored.type] : ways.map(({ type }) => type)).map((type) => ({
          value: type,
          label: t(`channels.types.${type}`),
        })),
      },
      column: { render: (row) => t(`channels.types.${row.type}`), csv: (row) => row.type },
    },
    address: { ...part('address'), column: { render: (row) => <code>{row.address}</code> } },
    to: { ...part('to'), read: (value) => (value as string[]).join(', ') },
    from: part('from'),
    user: part('user'),
    secret: { ...part('secret'), kind: 'secret', said: false },
    language: {
      kind: 'choice',
      label: t('channels.language'),
      initial: messageLanguage(language),
      write: (value, { type }) => (type === 'webhook' ? undefined : String(value)),
      input: {
        choices: (['en', 'zh'] as const).map((value) => ({ value, label: t(`channels.languages.${value}`) })),
      },
    },
    digest: {
      kind: 'choice',
      label: t('channels.digest'),
      input: { choices: digestChoices(t) },
    },
    state: {
      label: t('channels.state'),
      column: {
        csv: (row) => stateOf(row, t),
        render: (row) => (
          <span className={styles.chips}>
            <Chip tone={row.active ? (row.failures > 0 ? 'warn' : 'ok') : 'danger'}>{stateOf(row, t)}</Chip>
          </span>
        ),
      },
    },
    waiting: count('waiting'),
    delivered: count('delivered'),
    dead: count('dead'),
    ...choices,
    active: { kind: 'switch', label: t('channels.active'), initial: true },
    created_at: { label: t('admin.share.created'), column: { as: 'time', roomy: true } },
  };
}

function stateOf(row: Channel, t: Translate): string {
  if (row.stopped) return t('channels.stopped');
  if (!row.active) return t('channels.off');
  return t(row.failures > 0 ? 'channels.failing' : 'channels.on');
}
