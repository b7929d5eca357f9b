import { useWatch } from 'react-hook-form';
import type { Channel, MadeChannel } from '../../api/admin/channels';
import { useLanguage, useT } from '../../i18n';
import { digestHint } from '../../shared/notify/digests';
import { partsOf } from '../../shared/notify/parts';
import { FieldInput } from '../form/fields';
import { Section } from '../form/PanelForm';
import { RecordForm, RecordPage } from '../form/RecordPage';
import { checks } from '../form/validate';
import styles from './channels.module.css';
import { Deliveries } from './Deliveries';
import { channelFields, kinds } from './fields';
import { SecretOnce } from '../../shared/notify/SecretOnce';

const titles = { create: 'channels.create', edit: 'channels.edit', list: 'admin.pages.notifications' };

/** ChannelForm makes a channel or changes one, and lists what went to it. */
export default function ChannelForm() {
  return (
    <RecordPage<Channel> titles={titles}>
      {(channel, reload) => <Fields stored={channel} reload={reload} />}
    </RecordPage>
  );
}

function Fields({ stored, reload }: { stored: Channel | undefined; reload: () => void }) {
  const t = useT();
  const language = useLanguage();
  return (
    <>
      <RecordForm<Channel>
        record={stored}
        reload={reload}
        fields={channelFields(t, language, stored)}
        once={(channel, onClose) =>
          'secret' in channel && channel.secret ? (
            <SecretOnce made={channel as MadeChannel} onClose={onClose} />
          ) : null
        }
      >
        <Section>
          <FieldInput source="name" />
          <FieldInput source="type" />
          <Way kept={stored?.has_secret === true} />
          <When />
          <FieldInput source="active" />
        </Section>
        <Section title={t('channels.events')}>
          <div className={styles.kinds}>
            {Object.keys(kinds).map((source) => (
              <FieldInput key={source} source={source} />
            ))}
          </div>
        </Section>
      </RecordForm>
      {stored && <Deliveries channel={stored.id} />}
    </>
  );
}

/** When is whether a channel is told of each event by itself or by digests, and when those come. */
function When() {
  const t = useT();
  const language = useLanguage();
  const digest = String(useWatch({ name: 'digest' }) ?? '');
  return <FieldInput source="digest" hint={digestHint(digest, t, language)} />;
}

/** Way is how a channel of the chosen type is reached. */
function Way({ kept }: { kept: boolean }) {
  const t = useT();
  const type = useWatch({ name: 'type' }) as Channel['type'];
  return (
    <>
      {partsOf(type, t, kept).map(({ name, optional = false, ...words }) => (
        <FieldInput
          key={name}
          source={name}
          {...words}
          {...(optional ? { optional } : { validate: checks(t).required })}
        />
      ))}
      {type !== 'webhook' && <FieldInput source="language" />}
    </>
  );
}
