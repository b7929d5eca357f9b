import { useState } from 'react';
import { useInput } from 'react-admin';
import { useWatch } from 'react-hook-form';
import type { Key } from '../../api/admin/keys';
import { permissions, type Permission } from '../../auth/permissions';
import { useLanguage, useT } from '../../i18n';
import { formatTime, parseTime } from '../../shared/format';
import formStyles from '../form/form.module.css';
import { SelectInput, SwitchInput, TextInput } from '../form/inputs';
import { pairClass, Section } from '../form/PanelForm';
import { checks } from '../form/validate';
import { groups, withBit, type Group } from './bits';
import { inFuture, longestDays, neverEnds, type KeyExpiry } from './expiry';

/** KeyInputs are the fields of a key but for its folder. */
export function KeyInputs({ stored }: { stored: Key | undefined }) {
  const t = useT();
  const language = useLanguage();
  const check = checks(t);
  const until = stored
    ? neverEnds(stored.expires_at)
      ? t('admin.share.neverEnds')
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
  return (
    <>
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
          <SwitchInput source="is_active" label={t('admin.keys.active')} hint={t('admin.keys.activeHint')} />
        )}
      </Section>
      <Section title={t('admin.keys.permissions')}>
        <p className={formStyles.hint}>{t('admin.keys.tip')}</p>
        <Bits />
      </Section>
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
