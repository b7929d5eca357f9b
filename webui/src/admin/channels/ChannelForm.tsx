import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useResourceContext } from 'react-admin';
import type { Channel, MadeChannel } from '../../api/admin/channels';
import { useLanguage, useT } from '../../i18n';
import { FieldInput } from '../form/fields';
import { Section } from '../form/PanelForm';
import { RecordForm, RecordPage } from '../form/RecordPage';
import { useNavigate } from '../router';
import { Deliveries } from './Deliveries';
import { channelFields, kinds } from './fields';
import { SecretOnce } from './SecretOnce';

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
  const navigate = useNavigate();
  const client = useQueryClient();
  const resource = useResourceContext();
  const [made, setMade] = useState<MadeChannel>();
  return (
    <>
      <RecordForm<Channel>
        record={stored}
        reload={reload}
        fields={channelFields(t, language, stored)}
        onMade={(channel) => {
          // The secret is kept nowhere but in the dialog.
          client.removeQueries({ queryKey: [resource, 'getOne', { id: channel.id }] });
          setMade(channel as MadeChannel);
        }}
      >
        <Section>
          <FieldInput source="name" />
          <FieldInput source="address" />
          <FieldInput source="active" />
        </Section>
        <Section title={t('channels.events')}>
          {Object.keys(kinds).map((source) => (
            <FieldInput key={source} source={source} />
          ))}
        </Section>
      </RecordForm>
      {stored && <Deliveries channel={stored.id} />}
      {made && (
        <SecretOnce
          made={made}
          onClose={() => {
            setMade(undefined);
            void navigate(`/admin/${resource}`);
          }}
        />
      )}
    </>
  );
}
