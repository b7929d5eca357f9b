import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useLocation, useNavigate, useParams } from 'react-router-dom';
import { createKey, updateKey, type Key, type KeyDraft } from '../../api/admin/keys';
import { useT } from '../../i18n';
import { ErrorPanel, Skeleton, toast } from '../../shared/ui';
import { keys as source } from '../data/rest';
import { PanelForm } from '../form/PanelForm';
import { PanelPage } from '../list/PanelPage';
import { useLoaded } from '../share/useLoaded';
import { expiryOf, type KeyExpiry } from './expiry';
import { KeyOnce } from './KeyOnce';
import { KeyTabs } from './KeyTabs';

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
  const navigate = useNavigate();
  const of = (useLocation().state as { of?: Key } | null)?.of;
  const [made, setMade] = useState<Key>();
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
        <KeyTabs stored={stored} />
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
