import { useState } from 'react';
import { useInput } from 'react-admin';
import { useWatch } from 'react-hook-form';
import { permissions, type Permission } from '../../auth/permissions';
import { useT } from '../../i18n';
import { FieldInput } from '../form/fields';
import formStyles from '../form/form.module.css';
import { pairClass, Section } from '../form/PanelForm';
import { groups, withBit, type Group } from './bits';

/** KeyInputs are the fields of a key but for its folder. */
export function KeyInputs({ isNew }: { isNew: boolean }) {
  const t = useT();
  const [custom, expiry] = useWatch({ name: ['custom', 'expiry'] }) as unknown[];
  return (
    <>
      <Section>
        <FieldInput source="name" />
        {isNew && <FieldInput source="custom" />}
        {isNew && custom === true && <FieldInput source="custom_key" />}
        <div className={pairClass}>
          <FieldInput source="expiry" />
          {expiry === 'days' && <FieldInput source="expiry_days" />}
          {expiry === 'custom' && <FieldInput source="expiry_at" />}
        </div>
        <FieldInput source="role" />
        <FieldInput source="is_guest" />
        {!isNew && <FieldInput source="is_active" />}
      </Section>
      <Section title={t('admin.keys.permissions')}>
        <p className={formStyles.hint}>{t('admin.keys.tip')}</p>
        <Bits />
      </Section>
    </>
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
