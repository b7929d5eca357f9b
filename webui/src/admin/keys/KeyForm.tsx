import { FolderTree } from 'lucide-react';
import { useState } from 'react';
import { useInput } from 'react-admin';
import { useWatch, type FieldValues } from 'react-hook-form';
import { useLocation, useNavigate, useParams } from 'react-router-dom';
import { createKey, updateKey, type Key, type KeyDraft } from '../../api/admin/keys';
import { permissions, type Permission } from '../../auth/permissions';
import { useLanguage, useT } from '../../i18n';
import { formatTime, parseTime } from '../../shared/format';
import { Button, ErrorPanel, Skeleton, TextField, toast } from '../../shared/ui';
import { keys as source } from '../data/rest';
import formStyles from '../form/form.module.css';
import { SelectInput, SwitchInput, TextInput } from '../form/inputs';
import { pairClass, PanelForm, Section } from '../form/PanelForm';
import { checks } from '../form/validate';
import { PanelPage } from '../list/PanelPage';
import { useLoaded } from '../share/useLoaded';
import { groups, pathBits, withBit, type Group } from './bits';
import { expiryOf, inFuture, longestDays, neverEnds, type KeyExpiry } from './expiry';
import { KeyOnce } from './KeyOnce';
import { KeyUse } from './KeyUse';
import { May } from './May';
import { PathPicker } from './PathPicker';

const list = '/admin/key-management';

/** KeyForm makes a key or changes one; never its value, which only a new one has. */
export function KeyForm() {
  const t = useT();
  const { id } = useParams();
  const { value, error, retry } = useLoaded(id ?? '', async () =>
    id && source.one ? { key: await source.one(id) } : { key: undefined },
  );
  const title = id ? t('admin.keys.edit', { name: value?.key?.name ?? '…' }) : t('admin.keys.create');
  return (
    <PanelPage title={title}>
      {error !== undefined && <ErrorPanel error={error} onRetry={retry} />}
      {!value && error === undefined && <Skeleton lines={8} />}
      {value && <Fields stored={value.key} />}
    </PanelPage>
  );
}

function Fields({ stored }: { stored: Key | undefined }) {
  const t = useT();
  const language = useLanguage();
  const navigate = useNavigate();
  const of = (useLocation().state as { of?: Key } | null)?.of;
  const [made, setMade] = useState<Key>();
  const check = checks(t);
  const from = stored ?? of;
  const record = {
    name: stored?.name ?? (of ? t('admin.keys.copyOf', { name: of.name }) : ''),
    permissions: from?.permissions ?? 0,
    role: from?.role ?? 'GENERAL',
    basic_path: from?.basic_path ?? '/',
    is_guest: from?.is_guest === 1,
    is_active: from ? from.is_active === 1 : true,
    expiry: stored ? 'keep' : 'month',
    expiry_at: '',
    expiry_days: '90',
    custom: false,
    custom_key: '',
  };
  const until = stored
    ? neverEnds(stored.expires_at)
      ? t('admin.words.never')
      : formatTime(parseTime(stored.expires_at), language)
    : '';
  const choices: KeyExpiry[] = [
    ...(stored ? ['keep' as const] : []),
    'day',
    'week',
    'month',
    'never',
    'days',
    'custom',
  ];

  async function save(values: FieldValues) {
    const expires = expiryOf(
      values.expiry as KeyExpiry,
      { at: String(values.expiry_at), days: Number(values.expiry_days) },
      new Date(),
    );
    const draft: KeyDraft = {
      name: String(values.name).trim(),
      permissions: Number(values.permissions),
      role: String(values.role),
      basic_path: String(values.basic_path),
      is_guest: Boolean(values.is_guest),
      ...(expires !== undefined && { expires_at: expires }),
      ...(stored && { is_active: Boolean(values.is_active) }),
      ...(values.custom && { custom_key: String(values.custom_key).trim() }),
    };
    if (stored) {
      await updateKey(stored.id, draft);
      toast.success(t('admin.form.saved'));
      void navigate(list);
    } else {
      setMade(await createKey(draft));
    }
  }

  return (
    <>
      <PanelForm
        record={record}
        save={save}
        always={!stored}
        saveLabel={stored ? t('admin.form.save') : t('admin.form.create')}
        onCancel={() => void navigate(list)}
        fieldOf={(error) => (error.code === 'already_exists' ? 'name' : undefined)}
      >
        <Section title={t('admin.keys.basic')}>
          <TextInput
            source="name"
            label={t('admin.keys.name')}
            validate={[check.required, check.longest(100)]}
          />
          {!stored && <CustomKey />}
          <div className={pairClass}>
            <SelectInput
              source="expiry"
              label={t('admin.keys.expiry')}
              choices={choices.map((value) => ({
                value,
                label: t(`admin.keys.presets.${value}`, { until }),
              }))}
            />
            <ExpiryAt />
          </div>
          <SelectInput
            source="role"
            label={t('admin.keys.role')}
            hint={t('admin.keys.roleHint')}
            choices={(['GENERAL', 'GUEST', 'ADMIN'] as const).map((value) => ({
              value,
              label: t(`admin.keys.roles.${value}`),
            }))}
          />
          <SwitchInput source="is_guest" label={t('admin.keys.guest')} hint={t('admin.keys.guestHint')} />
          {stored && (
            <SwitchInput
              source="is_active"
              label={t('admin.keys.active')}
              hint={t('admin.keys.activeHint')}
            />
          )}
        </Section>
        <Section title={t('admin.keys.permissions')}>
          <p className={formStyles.hint}>{t('admin.keys.tip')}</p>
          <Bits />
        </Section>
        <Section title={t('admin.keys.path')}>
          <Path />
        </Section>
        <Section title={t('admin.keys.may')}>
          <May id={stored?.id} />
        </Section>
        {stored && (
          <Section title={t('admin.keys.use')}>
            <KeyUse id={stored.id} />
          </Section>
        )}
      </PanelForm>
      {made && (
        <KeyOnce
          made={made}
          onClose={() => {
            setMade(undefined);
            void navigate(list);
          }}
        />
      )}
    </>
  );
}

function CustomKey() {
  const t = useT();
  const custom: unknown = useWatch({ name: 'custom' });
  const check = checks(t);
  return (
    <>
      <SwitchInput source="custom" label={t('admin.keys.custom')} />
      {custom === true && (
        <TextInput
          source="custom_key"
          label={t('admin.keys.customKey')}
          hint={t('admin.keys.customRule')}
          autoComplete="off"
          validate={[
            check.required,
            (value: unknown) =>
              /^[A-Za-z0-9_-]*$/.test(String(value).trim()) ? undefined : t('admin.keys.customRule'),
          ]}
        />
      )}
    </>
  );
}

function ExpiryAt() {
  const t = useT();
  const choice: unknown = useWatch({ name: 'expiry' });
  const check = checks(t);
  if (choice === 'days')
    return (
      <TextInput
        source="expiry_days"
        label={t('admin.keys.expiryDays')}
        inputMode="numeric"
        validate={[check.required, check.integer, check.least(1), check.most(longestDays)]}
      />
    );
  if (choice !== 'custom') return null;
  return (
    <TextInput
      source="expiry_at"
      type="datetime-local"
      label={t('admin.keys.expiryAt')}
      validate={[
        (value: unknown) => (inFuture(String(value), new Date()) ? undefined : t('admin.keys.expiryInvalid')),
      ]}
    />
  );
}

/** Bits are the permissions in their groups; what hangs on another one comes and goes with it. */
function Bits() {
  const t = useT();
  const { field } = useInput({ source: 'permissions' });
  const [note, setNote] = useState('');
  const bits = Number(field.value);
  const toggle = (name: Permission, on: boolean) => {
    const next = withBit(bits, name, on);
    field.onChange(next.bits);
    setNote(
      next.added ? t(next.added === 'MOUNT_VIEW' ? 'admin.keys.viewAdded' : 'admin.keys.readAdded') : '',
    );
  };
  return (
    <div className={formStyles.groups}>
      {(Object.keys(groups) as Group[]).map((group) => (
        <fieldset key={group} className={formStyles.group}>
          <legend>{t(`admin.keys.groups.${group}`)}</legend>
          <div className={formStyles.checks}>
            {groups[group].map((name) => (
              <label key={name} className={formStyles.check}>
                <input
                  type="checkbox"
                  checked={(bits & permissions[name]) !== 0}
                  onChange={(event) => toggle(name, event.target.checked)}
                />
                {t(`admin.keys.bits.${name}`)}
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      <p role="status" className={formStyles.hint}>
        {note}
      </p>
    </div>
  );
}

function Path() {
  const t = useT();
  const { field } = useInput({ source: 'basic_path' });
  const bits: unknown = useWatch({ name: 'permissions' });
  const [picking, setPicking] = useState(false);
  const matters = (Number(bits) & pathBits) !== 0;
  return (
    <>
      <TextField
        label={t('admin.keys.path')}
        value={String(field.value)}
        readOnly
        hint={t(matters ? 'admin.keys.pathHint' : 'admin.keys.pathNeedsBits')}
        after={
          <Button
            icon={<FolderTree size={18} aria-hidden="true" />}
            disabled={!matters}
            onClick={() => setPicking(true)}
          >
            {t('admin.keys.choosePath')}
          </Button>
        }
      />
      {picking && (
        <PathPicker
          path={String(field.value)}
          onClose={() => setPicking(false)}
          onChoose={(path) => {
            field.onChange(path);
            setPicking(false);
          }}
        />
      )}
    </>
  );
}
