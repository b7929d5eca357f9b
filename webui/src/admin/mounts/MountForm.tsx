import { Plug } from 'lucide-react';
import { useState } from 'react';
import { useFormContext, useWatch, type FieldValues } from 'react-hook-form';
import { Link, useNavigate, useParams } from 'react-router-dom';
import {
  createMount,
  listMounts,
  readMount,
  updateMount,
  type Mount,
  type MountDraft,
} from '../../api/admin/mounts';
import { listConfigs, testConfig, type Config, type TestReport } from '../../api/admin/storage';
import { useT } from '../../i18n';
import { errorText } from '../../shared/errorText';
import { Button, ErrorPanel, Skeleton, toast } from '../../shared/ui';
import formStyles from '../form/form.module.css';
import { SelectInput, SwitchInput, TextInput } from '../form/inputs';
import { pairClass, PanelForm, Section } from '../form/PanelForm';
import { checks } from '../form/validate';
import { PanelPage } from '../list/PanelPage';
import { useLoaded } from '../share/useLoaded';
import { overlapping, pathProblem } from './path';

const list = '/admin/mount-management';
/** Longest time in seconds for which listings may be kept (§9). */
const longestCache = 86_400;

interface Known {
  mount: Mount | undefined;
  mounts: Mount[];
  configs: Config[];
}

/** MountForm makes a mount or changes one. */
export function MountForm() {
  const t = useT();
  const { id } = useParams();
  const { value, error, retry } = useLoaded<Known>(id ?? '', async (signal) => {
    const [mount, mounts, configs] = await Promise.all([
      id ? readMount(id) : undefined,
      listMounts(signal),
      listConfigs(signal),
    ]);
    return { mount, mounts, configs };
  });
  const title = id ? t('admin.mounts.edit', { name: value?.mount?.name ?? '…' }) : t('admin.mounts.create');
  return (
    <PanelPage title={title}>
      {error !== undefined && <ErrorPanel error={error} onRetry={retry} />}
      {!value && error === undefined && <Skeleton lines={8} />}
      {value && <Fields {...value} />}
    </PanelPage>
  );
}

const number = (value: unknown) => Number(String(value ?? '').trim() || 0);

function Fields({ mount, mounts, configs }: Known) {
  const t = useT();
  const navigate = useNavigate();
  const check = checks(t);
  const first = configs.find((entry) => entry.is_default) ?? configs[0];
  const record = {
    name: mount?.name ?? '',
    storage_type: mount?.storage_type ?? first?.storage_type ?? 'S3',
    storage_config_id: mount?.storage_config_id ?? first?.id ?? '',
    mount_path: mount?.mount_path ?? '',
    remark: mount?.remark ?? '',
    sort_order: mount?.sort_order ?? 0,
    cache_ttl: mount?.cache_ttl ?? 300,
    is_active: mount ? mount.is_active === 1 : true,
    web_proxy: mount?.web_proxy === 1,
    enable_sign: mount?.enable_sign === 1,
    sign_expires: mount?.sign_expires ?? '',
    webdav_policy: mount?.webdav_policy ?? '302_redirect',
  };

  async function save(values: FieldValues) {
    const signed = String(values.sign_expires ?? '').trim();
    const draft: MountDraft = {
      name: String(values.name).trim(),
      storage_type: String(values.storage_type),
      storage_config_id: String(values.storage_config_id),
      mount_path: String(values.mount_path).trim(),
      remark: String(values.remark ?? '').trim() || null,
      sort_order: number(values.sort_order),
      cache_ttl: number(values.cache_ttl),
      is_active: Boolean(values.is_active),
      web_proxy: Boolean(values.web_proxy),
      enable_sign: Boolean(values.enable_sign),
      sign_expires: signed === '' ? null : Number(signed),
      webdav_policy: String(values.webdav_policy),
    };
    await (mount ? updateMount(mount.id, draft) : createMount(draft));
    toast.success(t('admin.form.saved'));
    void navigate(list);
  }

  return (
    <PanelForm
      record={record}
      save={save}
      always={!mount}
      saveLabel={mount ? t('admin.form.save') : t('admin.form.create')}
      onCancel={() => void navigate(list)}
      fieldOf={(error) => (error.code === 'already_exists' ? 'mount_path' : undefined)}
    >
      <Section title={t('admin.mounts.basic')}>
        <TextInput
          source="name"
          label={t('admin.mounts.name')}
          validate={[check.required, check.longest(50)]}
        />
        <TextInput
          source="mount_path"
          label={t('admin.mounts.path')}
          hint={t('admin.mounts.pathHint')}
          placeholder="/team"
          validate={[
            check.required,
            (value: unknown) => {
              const problem = pathProblem(value);
              return problem && t(problem);
            },
          ]}
        />
        <Overlap mounts={mounts} own={mount?.id} />
        <Storage configs={configs} />
        <TextInput source="remark" label={t('admin.mounts.remark')} optional />
        <div className={pairClass}>
          <TextInput
            source="sort_order"
            label={t('admin.mounts.sortOrder')}
            hint={t('admin.mounts.sortHint')}
            inputMode="numeric"
            validate={[check.integer]}
          />
          <TextInput
            source="cache_ttl"
            label={t('admin.mounts.cacheTtl')}
            hint={t('admin.mounts.cacheHint')}
            inputMode="numeric"
            validate={[check.integer, check.notNegative, check.most(longestCache)]}
          />
        </div>
        <SwitchInput source="is_active" label={t('admin.mounts.active')} />
      </Section>
      <Section title={t('admin.mounts.delivery')}>
        <SwitchInput
          source="web_proxy"
          label={t('admin.mounts.webProxy')}
          hint={t('admin.mounts.webProxyHint')}
        />
        <Signature />
        <SelectInput
          source="webdav_policy"
          label={t('admin.mounts.policy')}
          choices={(['302_redirect', 'native_proxy'] as const).map((value) => ({
            value,
            label: t(`admin.mounts.policies.${value}`),
          }))}
        />
      </Section>
    </PanelForm>
  );
}

/** Overlap warns of another mount in the same branch of the tree. */
function Overlap({ mounts, own }: { mounts: Mount[]; own: string | undefined }) {
  const t = useT();
  const path: unknown = useWatch({ name: 'mount_path' });
  return overlapping(String(path ?? '').trim(), mounts, own).map((other) => (
    <p key={other.id} role="status" className={formStyles.dirty}>
      {t('admin.mounts.overlap', { name: other.name, path: other.mount_path })}
    </p>
  ));
}

/** Storage chooses the config by its type, and tries it before anything is saved. */
function Storage({ configs }: { configs: Config[] }) {
  const t = useT();
  const { setValue } = useFormContext();
  const [type, id] = useWatch({ name: ['storage_type', 'storage_config_id'] }) as [string, string];
  const [state, setState] = useState<{ id: string; report?: TestReport; problem?: string }>();
  const types = [...new Set(configs.map((entry) => entry.storage_type))];
  const usable = configs.filter((entry) => entry.storage_type === type);

  async function test() {
    setState({ id });
    try {
      setState({ id, report: await testConfig(id) });
    } catch (error) {
      setState({ id, problem: errorText(error, t) });
    }
  }

  if (configs.length === 0)
    return (
      <p>
        {t('admin.mounts.noConfig')}{' '}
        <Link to="/admin/storage-config/create">{t('admin.mounts.createConfig')}</Link>
      </p>
    );
  const read = state?.report?.result.read;
  return (
    <>
      <div className={pairClass}>
        <SelectInput
          source="storage_type"
          label={t('admin.mounts.storageType')}
          validate={[checks(t).required]}
          choices={types.map((value) => ({ value, label: value }))}
          onEdit={(next) => {
            const match = configs.find((entry) => entry.storage_type === next);
            setValue('storage_config_id', match?.id ?? '', { shouldDirty: true });
          }}
        />
        <SelectInput
          source="storage_config_id"
          label={t('admin.mounts.config')}
          validate={[checks(t).required]}
          choices={usable.map((entry) => ({ value: entry.id, label: entry.name }))}
        />
      </div>
      <div>
        <Button
          icon={<Plug size={18} aria-hidden="true" />}
          busy={state !== undefined && !state.report && !state.problem}
          disabled={!id}
          onClick={() => void test()}
        >
          {t('admin.mounts.test')}
        </Button>
      </div>
      {state?.id === id && (
        <div role="status">
          {!state.report && !state.problem && t('admin.mounts.testing')}
          {state.problem && <p className={formStyles.problem}>{state.problem}</p>}
          {read && !read.success && <p className={formStyles.problem}>{state.report?.result.globalNote}</p>}
          {read?.success && (
            <>
              <p>{t(read.objectCount > 0 ? 'admin.mounts.testFound' : 'admin.mounts.testEmpty')}</p>
              <ul>
                {read.firstObjects.map((object) => (
                  <li key={object.key}>
                    <code>{object.key}</code> ({object.size})
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </>
  );
}

/** Signature belongs to links through this server. */
function Signature() {
  const t = useT();
  const check = checks(t);
  const [proxied, signed] = useWatch({ name: ['web_proxy', 'enable_sign'] }) as [unknown, unknown];
  if (proxied !== true) return null;
  return (
    <>
      <SwitchInput source="enable_sign" label={t('admin.mounts.enableSign')} />
      {signed === true && (
        <TextInput
          source="sign_expires"
          label={t('admin.mounts.signExpires')}
          hint={t('admin.mounts.signHint')}
          inputMode="numeric"
          optional
          validate={[check.integer, check.notNegative]}
        />
      )}
    </>
  );
}
