import { Plug } from 'lucide-react';
import { useRef, useState, type RefObject } from 'react';
import { useFormContext, useWatch, type FieldValues } from 'react-hook-form';
import {
  createConfig,
  readConfig,
  testDraft,
  updateConfig,
  type Config,
  type ConfigDraft,
  type Driver,
  type DriverField,
} from '../../api/admin/storage';
import { ApiError } from '../../api/errors';
import type { Tagged } from '../../api/tagged';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { useReading } from '../../shared/query/useReading';
import { Button, confirm, Skeleton, toast } from '../../shared/ui';
import { configFormQuery } from '../data/queries';
import { confirmed } from '../form/confirmed';
import { changesOf, type Lines } from '../form/changes';
import formStyles from '../form/form.module.css';
import { AreaInput, SecretInput, SelectInput, SizeInput, SwitchInput, TextInput } from '../form/inputs';
import { PanelForm, Section } from '../form/PanelForm';
import { bytesOf } from '../form/size';
import { useConflict } from '../form/useConflict';
import { checks, type Check } from '../form/validate';
import { PanelPage } from '../list/PanelPage';
import { useNavigate, useParams } from '../router';
import { draftOf, sourceOf, switched, valuesOf, type StorageValues } from './draft';
import { StorageTest } from './StorageTest';
import { wordsIn } from './words';

const list = '/admin/storage-config';

/** StorageForm makes a storage config or changes one; its fields are those that the driver describes. */
export function StorageForm() {
  const t = useT();
  const { id } = useParams();
  const { data: value, error, retry, replace } = useReading(configFormQuery(id));
  const edited = value?.config?.value.name ?? (!error ? '…' : undefined);
  const title = !id
    ? t('admin.storage.create')
    : edited === undefined
      ? t('admin.pages.storage')
      : t('admin.storage.edit', { name: edited });
  return (
    <PanelPage title={title}>
      {error && <ErrorPanel error={error} onRetry={retry} />}
      {!value && !error && <Skeleton lines={10} />}
      {value && (
        <Fields key={value.config?.tag} {...value} onReload={(config) => replace({ ...value, config })} />
      )}
    </PanelPage>
  );
}

interface FieldsProps {
  config: Tagged<Config> | undefined;
  drivers: Driver[];
  onReload: (now: Tagged<Config>) => void;
}

function Fields({ config: seen, drivers, onReload }: FieldsProps) {
  const t = useT();
  const language = useLanguage();
  const conflict = useConflict();
  const config = seen?.value;
  const navigate = useNavigate();
  const check = checks(t);
  const touched = useRef(new Set<string>());
  const [tested, setTested] = useState<ConfigDraft>();
  const first = drivers.find((driver) => driver.storage_type === 'S3' && driver.available) ?? drivers[0];
  const [driver, setDriver] = useState(config ? drivers.find(({ name }) => name === config.driver) : first);
  const [record] = useState(() => valuesOf(driver, config));

  async function save(values: FieldValues) {
    if (!driver) return false;
    const draft = draftOf(values as StorageValues, driver);
    if (seen) {
      const { id } = seen.value;
      const changes = changesOf(draftOf(record, driver), draft);
      const saved = await conflict.save<Config, boolean>({
        tag: seen.tag,
        send: (tag) => moved((sure) => confirmed(() => updateConfig(id, { ...changes, ...sure }, tag), t)),
        load: () => readConfig(id),
        mine: linesOf(values as StorageValues),
        linesOf: (now) => linesOf(valuesOf(driver, now)),
        reload: onReload,
      });
      if (!saved || !saved.done) return false;
    } else {
      await confirmed(() => createConfig(draft), t);
    }
    toast.success(t('admin.form.saved'));
    void navigate(list);
    return true;
  }

  /** moved asks before mounts show another folder of the bucket; false when that is not wanted. */
  async function moved(send: (sure: ConfigDraft) => Promise<unknown>): Promise<boolean> {
    try {
      await send({});
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'root_prefix_confirm') throw error;
      const sure = await confirm({
        title: t('admin.storage.rootTitle'),
        body: t('admin.storage.rootBody'),
        confirmLabel: t('admin.storage.rootConfirm'),
        danger: true,
      });
      if (!sure) return false;
      await send({ confirm_root_prefix: true });
    }
    return true;
  }

  /** linesOf are the fields of a config for people; of secrets nothing is shown but whether one is entered. */
  const linesOf = (values: StorageValues): Lines => [
    [t('admin.storage.name'), values.name.trim()],
    [
      t('admin.storage.capacity'),
      formatSize(bytesOf(Number(values.capacity.amount || 0), values.capacity.unit), language),
    ],
    ...(driver?.fields ?? []).map((field): Lines[number] => {
      const value = values.fields[field.key] ?? '';
      return [wordsIn(field.label, language, field.key), field.secret ? value && '••••' : value];
    }),
    [t('admin.storage.folder'), values.default_folder.trim()],
    [t('admin.storage.customHost'), values.custom_host.trim()],
    [t('admin.storage.linkTime'), values.signature_expires_in],
    [t('admin.storage.public'), values.is_public],
  ];

  const touch = (key: string) => () => void touched.current.add(key);
  return (
    <>
      <PanelForm
        record={record}
        save={save}
        always={!config}
        saveLabel={config ? t('admin.form.save') : t('admin.form.create')}
        fieldOf={({ field }) => sourceOf(field, driver)}
        onCancel={() => void navigate(list)}
        tools={driver && <TestButton driver={driver} onTest={setTested} />}
      >
        <Section title={t('admin.storage.basic')}>
          <TextInput
            source="name"
            label={t('admin.storage.name')}
            validate={[check.required, check.longest(100)]}
          />
          <DriverChoice
            drivers={drivers}
            fixed={config !== undefined}
            onChoose={setDriver}
            touched={touched}
          />
          <SizeInput
            source="capacity"
            label={t('admin.storage.capacity')}
            unitLabel={t('admin.storage.unit')}
            hint={t('admin.storage.capacityHint')}
            validate={[check.integer, check.notNegative]}
          />
        </Section>
        {driver && (
          <>
            <Section title={t('admin.storage.connection')}>
              {driver.fields
                .filter((field) => !field.secret && field.type !== 'bool')
                .map((field) => (
                  <FieldInput key={`${driver.name} ${field.key}`} field={field} onEdit={touch(field.key)} />
                ))}
              <TextInput
                source="default_folder"
                label={t('admin.storage.folder')}
                hint={t('admin.storage.folderHint')}
                optional
              />
              {driver.capabilities.browser_upload === false && (
                <p className={formStyles.hint}>{t('admin.storage.noBrowserUpload')}</p>
              )}
            </Section>
            {driver.fields.some((field) => field.secret) && (
              <Section title={t('admin.storage.credentials')}>
                {driver.fields
                  .filter((field) => field.secret)
                  .map((field) => (
                    <FieldInput
                      key={`${driver.name} ${field.key}`}
                      field={field}
                      {...(config && { stored: config })}
                      onEdit={touch(field.key)}
                    />
                  ))}
              </Section>
            )}
          </>
        )}
        <Section title={t('admin.storage.advanced')}>
          {driver?.fields
            .filter((field) => field.type === 'bool')
            .map((field) => (
              <FieldInput key={`${driver.name} ${field.key}`} field={field} onEdit={touch(field.key)} />
            ))}
          <TextInput
            source="custom_host"
            type="url"
            label={t('admin.storage.customHost')}
            hint={t('admin.storage.customHostHint')}
            optional
            validate={[check.url]}
          />
          <TextInput
            source="signature_expires_in"
            label={t('admin.storage.linkTime')}
            inputMode="numeric"
            validate={[check.integer, check.notNegative]}
          />
          <SwitchInput
            source="is_public"
            label={t('admin.storage.public')}
            hint={t('admin.storage.publicHint')}
          />
        </Section>
      </PanelForm>
      {conflict.dialog}
      {tested && (
        <StorageTest
          name={String(tested.name || t('admin.storage.create'))}
          run={(signal) => confirmed(() => testDraft(tested, config?.id, signal), t)}
          onClose={() => setTested(undefined)}
        />
      )}
    </>
  );
}

/** TestButton tries what is in the form, saved or not. */
function TestButton({ driver, onTest }: { driver: Driver; onTest: (draft: ConfigDraft) => void }) {
  const t = useT();
  const { getValues, trigger } = useFormContext();
  return (
    <Button
      icon={<Plug size={18} aria-hidden="true" />}
      onClick={() =>
        void trigger().then((good) => {
          if (good) onTest(draftOf(getValues() as StorageValues, driver));
        })
      }
    >
      {t('admin.storage.testDraft')}
    </Button>
  );
}

interface DriverChoiceProps {
  drivers: Driver[];
  /** fixed is a stored config, whose storage cannot become one of another kind. */
  fixed: boolean;
  touched: RefObject<ReadonlySet<string>>;
  onChoose: (driver: Driver) => void;
}

function DriverChoice({ drivers, fixed, touched, onChoose }: DriverChoiceProps) {
  const t = useT();
  const language = useLanguage();
  const { getValues, setValue } = useFormContext();
  const name: unknown = useWatch({ name: 'driver' });
  const chosen = drivers.find((driver) => driver.name === name);
  const shown = fixed ? drivers.filter((driver) => driver.name === name) : drivers;
  return (
    <>
      <SelectInput
        source="driver"
        label={t('admin.storage.provider')}
        validate={[checks(t).required]}
        choices={shown.map((driver) => {
          const label = wordsIn(driver.label, language, driver.name);
          return {
            value: driver.name,
            label: driver.available ? label : t('admin.storage.unavailable', { name: label }),
          };
        })}
        onEdit={(next) => {
          const to = drivers.find((driver) => driver.name === next);
          if (!to) return;
          const values = switched(getValues() as StorageValues, to, touched.current);
          onChoose(to);
          setValue('fields', values.fields, { shouldDirty: true });
          setValue('capacity', values.capacity, { shouldDirty: true });
        }}
      />
      {chosen?.problem && <p className={formStyles.problem}>{chosen.problem}</p>}
    </>
  );
}

interface FieldInputProps {
  field: DriverField;
  stored?: Config;
  onEdit: () => void;
}

/** FieldInput is one field of a driver, as the driver describes it. */
function FieldInput({ field, stored, onEdit }: FieldInputProps) {
  const t = useT();
  const language = useLanguage();
  const check = checks(t);
  const source = `fields.${field.key}`;
  const on: unknown = useWatch({ name: source });
  const label = wordsIn(field.label, language, field.key);
  const hint = wordsIn(field.help, language);
  const rules: Check[] = [];
  const keeps = field.secret && stored?.has_credentials === 1;
  if (field.required && !keeps) rules.push(check.required);
  if (field.type === 'number') rules.push(check.integer);
  if (field.type === 'url') rules.push(check.url);
  const optional = !field.required && !keeps;
  if (field.type === 'textarea')
    return (
      <AreaInput
        source={source}
        label={label}
        hint={keeps ? t('admin.storage.secretKept') : hint}
        optional={optional}
        rows={6}
        mono
        validate={rules}
        onEdit={onEdit}
      />
    );
  if (field.secret) {
    const tail = field.key === 'access_key_id' ? stored?.key_tail : '';
    const kept = tail ? t('admin.storage.secretTail', { tail }) : t('admin.storage.secretKept');
    return (
      <SecretInput
        source={source}
        label={label}
        hint={keeps ? kept : hint}
        optional={optional}
        validate={rules}
        onEdit={onEdit}
      />
    );
  }
  if (field.type === 'bool') {
    const words =
      field.key === 'path_style' ? t(on ? 'admin.storage.pathStyleOn' : 'admin.storage.pathStyleOff') : label;
    return <SwitchInput source={source} label={words} hint={hint} onEdit={onEdit} />;
  }
  if (field.type === 'select')
    return (
      <SelectInput
        source={source}
        label={label}
        hint={hint}
        validate={rules}
        choices={field.options.map((option) => ({
          value: option.value,
          label: wordsIn(option.label, language, option.value),
        }))}
        onEdit={onEdit}
      />
    );
  return (
    <TextInput
      source={source}
      label={label}
      hint={hint}
      optional={optional}
      validate={rules}
      {...(field.type === 'number' && { inputMode: 'numeric' as const })}
      {...(field.type === 'url' && { type: 'url' })}
      onEdit={onEdit}
    />
  );
}
