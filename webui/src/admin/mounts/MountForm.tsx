import { Plug } from 'lucide-react';
import { useState } from 'react';
import { useFormContext, useWatch, type FieldValues } from 'react-hook-form';
import { createMount, readMount, updateMount, type Mount, type MountDraft } from '../../api/admin/mounts';
import { testConfig, type Config, type TestReport } from '../../api/admin/storage';
import { errorText } from '../../api/errorText';
import type { Tagged } from '../../api/tagged';
import { useT, type Translate } from '../../i18n';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { useReading } from '../../shared/query/useReading';
import { Button, Skeleton, toast } from '../../shared/ui';
import { mountFormQuery } from '../data/queries';
import { changesOf, type Lines } from '../form/changes';
import formStyles from '../form/form.module.css';
import { SelectInput, SwitchInput, TextInput } from '../form/inputs';
import { pairClass, PanelForm, Section } from '../form/PanelForm';
import { useConflict } from '../form/useConflict';
import { checks } from '../form/validate';
import { PanelPage } from '../list/PanelPage';
import { Link, useNavigate, useParams } from '../router';
import { overlapping, pathProblem } from './path';

const list = '/admin/mount-management';
/** Longest time in seconds for which listings may be kept (§9). */
const longestCache = 86_400;

interface Known {
  mount: Tagged<Mount> | undefined;
  mounts: Mount[];
  configs: Config[];
}

/** MountForm makes a mount or changes one. */
export function MountForm() {
  const t = useT();
  const { id } = useParams();
  const { data: value, error, retry, replace } = useReading(mountFormQuery(id));
  const edited = value?.mount?.value.name ?? (!error ? '…' : undefined);
  const title = !id
    ? t('admin.mounts.create')
    : edited === undefined
      ? t('admin.pages.mounts')
      : t('admin.mounts.edit', { name: edited });
  return (
    <PanelPage title={title}>
      {error && <ErrorPanel error={error} onRetry={retry} />}
      {!value && !error && <Skeleton lines={8} />}
      {value && (
        <Fields key={value.mount?.tag} {...value} onReload={(mount) => replace({ ...value, mount })} />
      )}
    </PanelPage>
  );
}

const policies = ['302_redirect', 'native_proxy'] as const;
const policyOf = (value: unknown) => policies.find((policy) => policy === value) ?? policies[0];

const number = (value: unknown) => Number(String(value ?? '').trim() || 0);

const recordOf = (mount: Mount) => ({
  name: mount.name,
  storage_type: mount.storage_type,
  storage_config_id: mount.storage_config_id,
  mount_path: mount.mount_path,
  remark: mount.remark ?? '',
  sort_order: mount.sort_order,
  cache_ttl: mount.cache_ttl,
  is_active: mount.is_active === 1,
  web_proxy: mount.web_proxy === 1,
  enable_sign: mount.enable_sign === 1,
  sign_expires: mount.sign_expires ?? '',
  webdav_policy: mount.webdav_policy,
});

function draftOf(values: FieldValues): MountDraft {
  const signed = String(values.sign_expires ?? '').trim();
  return {
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
}

/** linesOf are the fields of a mount for people. */
function linesOf(draft: MountDraft, configs: readonly Config[], t: Translate): Lines {
  const config = configs.find(({ id }) => id === draft.storage_config_id);
  return [
    [t('admin.mounts.name'), draft.name],
    [t('admin.mounts.path'), draft.mount_path],
    [t('admin.mounts.config'), config?.name ?? draft.storage_config_id],
    [t('admin.mounts.remark'), draft.remark],
    [t('admin.mounts.sortOrder'), draft.sort_order],
    [t('admin.mounts.cacheTtl'), draft.cache_ttl],
    [t('admin.mounts.active'), draft.is_active],
    [t('admin.mounts.webProxy'), draft.web_proxy],
    [t('admin.mounts.enableSign'), draft.enable_sign],
    [t('admin.mounts.signExpires'), draft.sign_expires],
    [t('admin.mounts.policy'), t(`admin.mounts.policies.${policyOf(draft.webdav_policy)}`)],
  ];
}

interface FieldsProps extends Known {
  onReload: (now: Tagged<Mount>) => void;
}

function Fields({ mount: seen, mounts, configs, onReload }: FieldsProps) {
  const t = useT();
  const navigate = useNavigate();
  const check = checks(t);
  const first = configs.find((entry) => entry.is_default) ?? configs[0];
  const mount = seen?.value;
  const conflict = useConflict();
  const record = mount
    ? recordOf(mount)
    : {
        name: '',
        storage_type: first?.storage_type ?? 'S3',
        storage_config_id: first?.id ?? '',
        mount_path: '',
        remark: '',
        sort_order: 0,
        cache_ttl: 300,
        is_active: true,
        web_proxy: false,
        enable_sign: false,
        sign_expires: '',
        webdav_policy: '302_redirect',
      };

  async function save(values: FieldValues) {
    const draft = draftOf(values);
    if (seen) {
      const { id } = seen.value;
      const changes = changesOf(draftOf(record), draft);
      const saved = await conflict.save<Mount, unknown>({
        tag: seen.tag,
        send: (tag) => updateMount(id, changes, tag),
        load: () => readMount(id),
        mine: linesOf(draft, configs, t),
        linesOf: (now) => linesOf(draftOf(recordOf(now)), configs, t),
        reload: onReload,
      });
      if (!saved) return;
    } else {
      await createMount(draft);
    }
    toast.success(t('admin.form.saved'));
    void navigate(list);
  }

  return (
    <>
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
          <Policy />
        </Section>
      </PanelForm>
      {conflict.dialog}
    </>
  );
}

/** Policy is how WebDAV clients get the bytes, with what the choice means. */
function Policy() {
  const t = useT();
  const chosen: unknown = useWatch({ name: 'webdav_policy' });
  return (
    <SelectInput
      source="webdav_policy"
      label={t('admin.mounts.policy')}
      hint={t(`admin.mounts.policyHints.${policyOf(chosen)}`)}
      choices={policies.map((value) => ({ value, label: t(`admin.mounts.policies.${value}`) }))}
    />
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
