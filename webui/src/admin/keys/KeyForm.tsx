import type { Key } from '../../api/admin/keys';
import { useLanguage, useT } from '../../i18n';
import { valuesOf } from '../form/fields';
import { RecordForm, RecordPage } from '../form/RecordPage';
import { useLocation } from '../router';
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
  const { of: copied, program } = (useLocation().state ?? {}) as { of?: Key; program?: ProgramId };
  const fields = keyFields(t, language, stored);
  return (
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
      once={(made, onClose) => <KeyOnce made={made} program={program} onClose={onClose} />}
    >
      <KeyTabs stored={stored} />
    </RecordForm>
  );
}
