import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useResourceContext } from 'react-admin';
import type { Key } from '../../api/admin/keys';
import { useLanguage, useT } from '../../i18n';
import { valuesOf } from '../form/fields';
import { RecordForm, RecordPage } from '../form/RecordPage';
import { useLocation, useNavigate } from '../router';
import { keyFields } from './fields';
import { KeyOnce } from './KeyOnce';
import { KeyTabs } from './KeyTabs';
import { programs, type ProgramId } from './programs';

const titles = { create: 'admin.keys.create', edit: 'admin.keys.edit', list: 'admin.pages.keys' };

/** KeyForm makes a key or changes one; never its value, which only a new one has. */
export default function KeyForm() {
  return (
    <RecordPage<Key> titles={titles}>{(key, reload) => <Fields stored={key} reload={reload} />}</RecordPage>
  );
}

function Fields({ stored, reload }: { stored: Key | undefined; reload: () => void }) {
  const t = useT();
  const language = useLanguage();
  const navigate = useNavigate();
  const client = useQueryClient();
  const resource = useResourceContext();
  const { of: copied, program } = (useLocation().state ?? {}) as { of?: Key; program?: ProgramId };
  const [made, setMade] = useState<Key>();
  const fields = keyFields(t, language, stored);
  return (
    <>
      <RecordForm<Key>
        record={stored}
        reload={reload}
        fields={fields}
        begin={(key) => ({
          ...valuesOf(fields, key ?? copied),
          ...(!key && copied && { name: t('admin.keys.copyOf', { name: copied.name }) }),
          ...(!key && program && { name: programs[program].name, permissions: programs[program].bits }),
        })}
        fieldOf={(error) => (error.code === 'already_exists' ? 'name' : undefined)}
        onMade={(key) => {
          // The value of a key is kept nowhere but in the dialog.
          client.removeQueries({ queryKey: [resource, 'getOne', { id: key.id }] });
          setMade(key);
        }}
      >
        <KeyTabs stored={stored} />
      </RecordForm>
      {made && (
        <KeyOnce
          made={made}
          program={program}
          onClose={() => {
            setMade(undefined);
            void navigate(`/admin/${resource}`);
          }}
        />
      )}
    </>
  );
}
