import { Plug } from 'lucide-react';
import { useRef, useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import {
  testDraft,
  type Config,
  type ConfigDraft,
  type Driver,
  type DriverField,
} from '../../api/admin/storage';
import { ApiError } from '../../api/errors';
import { useLanguage, useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { Button, confirm } from '../../shared/ui';
import { driversQuery } from '../data/queries';
import { confirmed } from '../form/confirmed';
import { draftOf, FieldInput, sourceOf } from '../form/fields';
import formStyles from '../form/form.module.css';
import { Section } from '../form/PanelForm';
import { RecordForm, RecordPage } from '../form/RecordPage';
import { questionOf } from '../useAct';
import { nameOf, storageFields, switched, type DriverValues } from './fields';
import { StorageTest } from './StorageTest';

/** first are the drivers that a new config begins with: those that most come for. */
const first = ['r2', 's3'];

const titles = { create: 'admin.storage.create', edit: 'admin.storage.edit', list: 'admin.pages.storage' };

/** StorageForm makes a storage config or changes one; its fields are those that the driver describes. */
export default function StorageForm() {
  const drivers = useReading(driversQuery);
  return (
    <RecordPage<Config> titles={titles} needs={[drivers]}>
      {(config, reload) => <Fields stored={config} drivers={drivers.data ?? []} reload={reload} />}
    </RecordPage>
  );
}

interface FieldsProps {
  stored: Config | undefined;
  drivers: Driver[];
  reload: () => void;
}

function Fields({ stored, drivers, reload }: FieldsProps) {
  const t = useT();
  const language = useLanguage();
  const touched = useRef(new Set<string>());
  const [tested, setTested] = useState<ConfigDraft>();
  const [driver, setDriver] = useState(() =>
    stored
      ? drivers.find(({ name }) => name === stored.driver)
      : (first.map((name) => drivers.find((one) => one.name === name && one.available)).find(Boolean) ??
        drivers[0]),
  );
  const fieldsOf = (chosen: Driver | undefined) =>
    storageFields(t, language, { drivers, driver: chosen, stored });
  const fields = fieldsOf(driver);
  /** sending asks before mounts show another folder of the bucket; false when that is not wanted. */
  async function sending(send: (more?: object) => Promise<unknown>): Promise<unknown> {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'root_prefix_confirm') throw error;
      const question = { confirmLabel: t('admin.storage.rootConfirm'), danger: true };
      return (
        (await confirm(questionOf(t, 'admin.storage.root', question))) && send({ confirm_root_prefix: true })
      );
    }
  }

  const inputs = (wanted: (field: DriverField) => boolean) =>
    driver?.fields
      .filter(wanted)
      .map((field) => (
        <DriverInput
          key={`${driver.name} ${field.key}`}
          field={field}
          onEdit={() => void touched.current.add(field.key)}
        />
      ));
  return (
    <>
      <RecordForm<Config>
        record={stored}
        reload={reload}
        fields={fields}
        sending={sending}
        fieldOf={({ field }) => sourceOf(fields, field)}
        tools={driver && <TestButton onTest={(values) => setTested(draftOf(fields, values))} />}
      >
        <Section title={t('admin.storage.basic')}>
          <FieldInput source="name" onEdit={() => void touched.current.add('name')} />
          <DriverChoice
            driver={driver}
            onChoose={(name, values) => {
              const to = drivers.find((one) => one.name === name);
              setDriver(to);
              return switched(values, fieldsOf(to), touched.current);
            }}
          />
          <FieldInput source="capacity" />
        </Section>
        {driver && (
          <Section title={t('admin.storage.connection')}>
            {inputs((field) => !field.secret && field.type !== 'bool')}
            <FieldInput source="default_folder" />
            {driver.capabilities.browser_upload === false && (
              <p className={formStyles.hint}>{t('admin.storage.noBrowserUpload')}</p>
            )}
          </Section>
        )}
        {driver?.fields.some((field) => field.secret) && (
          <Section title={t('admin.storage.credentials')}>{inputs((field) => field.secret)}</Section>
        )}
        <Section title={t('admin.storage.advanced')}>
          {inputs((field) => field.type === 'bool')}
          <FieldInput source="custom_host" />
          <FieldInput source="signature_expires_in" />
          <FieldInput source="is_public" />
        </Section>
      </RecordForm>
      {tested && (
        <StorageTest
          name={String(tested.name || t('admin.storage.create'))}
          run={(signal) => confirmed(() => testDraft(tested, stored?.id, signal), t)}
          onClose={() => setTested(undefined)}
        />
      )}
    </>
  );
}

/** TestButton tries what is in the form, saved or not. */
function TestButton({ onTest }: { onTest: (values: object) => void }) {
  const t = useT();
  const { getValues, trigger } = useFormContext();
  return (
    <Button
      icon={<Plug size={18} />}
      onClick={() => void trigger().then((good) => good && onTest(getValues()))}
    >
      {t('admin.storage.testDraft')}
    </Button>
  );
}

interface DriverChoiceProps {
  driver: Driver | undefined;
  /** onChoose answers what the form then holds of the driver. */
  onChoose: (name: string, values: DriverValues) => DriverValues;
}

function DriverChoice({ driver, onChoose }: DriverChoiceProps) {
  const { getValues, setValue } = useFormContext();
  return (
    <>
      <FieldInput
        source="driver"
        onEdit={(name) => {
          for (const [source, value] of Object.entries(onChoose(name, getValues())))
            setValue(source, value, { shouldDirty: true });
        }}
      />
      {driver?.problem && <p className={formStyles.problem}>{driver.problem}</p>}
    </>
  );
}

/** DriverInput is the input of a driver's field; addressing by path says in words what on and off mean. */
function DriverInput({ field, onEdit }: { field: DriverField; onEdit: () => void }) {
  const t = useT();
  const source = nameOf(field);
  const on: unknown = useWatch({ name: source });
  const label = t(on ? 'admin.storage.pathStyleOn' : 'admin.storage.pathStyleOff');
  return <FieldInput source={source} {...(field.key === 'path_style' && { label })} onEdit={onEdit} />;
}
