import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { createKey, readKey, updateKey, type Key, type KeyDraft } from '../../api/admin/keys';
import type { Tagged } from '../../api/tagged';
import { permissions, type Permission } from '../../auth/permissions';
import { useT, type Translate } from '../../i18n';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { useReading } from '../../shared/query/useReading';
import { Skeleton, toast } from '../../shared/ui';
import { keyFormQuery } from '../data/queries';
import { changesOf, type Lines } from '../form/changes';
import { confirmed } from '../form/confirmed';
import { PanelForm } from '../form/PanelForm';
import { useConflict } from '../form/useConflict';
import { PanelPage } from '../list/PanelPage';
import { useLocation, useNavigate, useParams } from '../router';
import { expiryOf, neverEnds, type KeyExpiry } from './expiry';
import { KeyOnce } from './KeyOnce';
import { KeyTabs } from './KeyTabs';

const list = '/admin/key-management';

/** KeyForm makes a key or changes one; never its value, which only a new one has. */
export function KeyForm() {
  const t = useT();
  const { id } = useParams();
  const { data: value, error, retry, replace } = useReading(keyFormQuery(id));
  const edited = value?.key?.value.name ?? (!error ? '…' : undefined);
  const title = !id
    ? t('admin.keys.create')
    : edited === undefined
      ? t('admin.pages.keys')
      : t('admin.keys.edit', { name: edited });
  return (
    <PanelPage title={title}>
      {error && <ErrorPanel error={error} onRetry={retry} />}
      {!value && !error && <Skeleton lines={8} />}
      {value && <Fields key={value.key?.tag} {...value.key} onReload={(key) => replace({ key })} />}
    </PanelPage>
  );
}

interface FieldsProps extends Partial<Tagged<Key>> {
  onReload: (now: Tagged<Key>) => void;
}

const recordOf = (key: Key) => ({
  name: key.name,
  permissions: key.permissions,
  role: key.role,
  basic_path: key.basic_path,
  is_guest: key.is_guest === 1,
  is_active: key.is_active === 1,
});

/** linesOf are the fields of a key for people; its end is that of the draft, else of the key. */
function linesOf(draft: KeyDraft, key: Key, t: Translate): Lines {
  const end = draft.expires_at === undefined ? key.expires_at : draft.expires_at;
  const bits = draft.permissions ?? 0;
  const rights = (Object.keys(permissions) as Permission[]).filter(
    (name) => (bits & permissions[name]) !== 0,
  );
  return [
    [t('admin.keys.name'), draft.name],
    [t('admin.keys.permissions'), rights.map((name) => t(`admin.keys.bits.${name}`)).join(', ')],
    [t('admin.keys.path'), draft.basic_path],
    [t('admin.keys.role'), draft.role],
    [t('admin.keys.guest'), draft.is_guest],
    [t('admin.keys.active'), draft.is_active],
    [t('admin.keys.expiry'), end === null || neverEnds(end) ? t('admin.share.neverEnds') : end],
  ];
}

function Fields({ value: stored, tag = '', onReload }: FieldsProps) {
  const t = useT();
  const navigate = useNavigate();
  const of = (useLocation().state as { of?: Key } | null)?.of;
  const [made, setMade] = useState<Key>();
  const conflict = useConflict();
  const from = stored ?? of;
  const record = {
    ...(from
      ? recordOf(from)
      : { name: '', permissions: 0, role: 'GENERAL', basic_path: '/', is_guest: false, is_active: true }),
    ...(!stored && of && { name: t('admin.keys.copyOf', { name: of.name }) }),
    expiry: stored ? 'keep' : 'month',
    expiry_at: '',
    expiry_days: '90',
    custom: false,
    custom_key: '',
  };

  function draftOf(values: FieldValues): KeyDraft {
    const expires = expiryOf(
      values.expiry as KeyExpiry,
      { at: String(values.expiry_at), days: Number(values.expiry_days) },
      new Date(),
    );
    return {
      name: String(values.name).trim(),
      permissions: Number(values.permissions),
      role: String(values.role),
      basic_path: String(values.basic_path),
      is_guest: Boolean(values.is_guest),
      ...(expires !== undefined && { expires_at: expires }),
      ...(stored && { is_active: Boolean(values.is_active) }),
      ...(values.custom && { custom_key: String(values.custom_key).trim() }),
    };
  }

  async function save(values: FieldValues) {
    const draft = draftOf(values);
    if (stored) {
      const changes = changesOf(draftOf(record), draft);
      const saved = await conflict.save<Key, unknown>({
        tag,
        send: async (seen) => Object.keys(changes).length > 0 && updateKey(stored.id, changes, seen),
        load: () => readKey(stored.id),
        mine: linesOf(draft, stored, t),
        linesOf: (now) => linesOf(recordOf(now), now, t),
        reload: onReload,
      });
      if (!saved) return;
      toast.success(t('admin.form.saved'));
      void navigate(list);
    } else {
      setMade(await confirmed(() => createKey(draft), t));
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
        <KeyTabs stored={stored} />
      </PanelForm>
      {conflict.dialog}
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
