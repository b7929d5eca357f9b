import { Plug } from 'lucide-react';
import { useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import type { Mount } from '../../api/admin/mounts';
import { testConfig, type Config, type TestReport } from '../../api/admin/storage';
import { errorText } from '../../api/errorText';
import { useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { Button } from '../../shared/ui';
import { mountsQuery } from '../data/queries';
import { useConfigs } from '../data/records';
import { FieldInput } from '../form/fields';
import formStyles from '../form/form.module.css';
import { pairClass, Section } from '../form/PanelForm';
import { RecordForm, RecordPage } from '../form/RecordPage';
import { Link } from '../router';
import { configChoices, mountFields, policyOf } from './fields';
import { overlapping } from './path';

const titles = { create: 'admin.mounts.create', edit: 'admin.mounts.edit', list: 'admin.pages.mounts' };

/** MountForm makes a mount or changes one. */
export default function MountForm() {
  const t = useT();
  const known = useConfigs();
  const configs = known.data ?? [];
  const fields = mountFields(t, configs);
  return (
    <RecordPage<Mount> titles={titles} needs={[known]}>
      {(mount, reload) => (
        <RecordForm<Mount>
          record={mount}
          reload={reload}
          fields={fields}
          fieldOf={(error) => (error.code === 'already_exists' ? 'mount_path' : undefined)}
        >
          <Section title={t('admin.mounts.basic')}>
            <FieldInput source="name" />
            <FieldInput source="mount_path" />
            <Overlap own={mount?.id} />
            <Storage configs={configs} />
            <FieldInput source="remark" />
            <div className={pairClass}>
              <FieldInput source="sort_order" />
              <FieldInput source="cache_ttl" />
            </div>
            <FieldInput source="is_active" />
          </Section>
          <Section title={t('admin.mounts.delivery')}>
            <FieldInput source="web_proxy" />
            <Signature />
            <Policy />
          </Section>
        </RecordForm>
      )}
    </RecordPage>
  );
}

/** Policy is how WebDAV clients get the bytes, with what the choice means. */
function Policy() {
  const t = useT();
  const chosen: unknown = useWatch({ name: 'webdav_policy' });
  return <FieldInput source="webdav_policy" hint={t(`admin.mounts.policyHints.${policyOf(chosen)}`)} />;
}

/** Overlap warns of another mount in the same branch of the tree. */
function Overlap({ own }: { own: string | undefined }) {
  const t = useT();
  const { data: mounts = [] } = useReading(mountsQuery);
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
        <FieldInput
          source="storage_type"
          onEdit={(next) => {
            const match = configs.find((entry) => entry.storage_type === next);
            setValue('storage_config_id', match?.id ?? '', { shouldDirty: true });
          }}
        />
        <FieldInput source="storage_config_id" choices={configChoices(usable)} />
      </div>
      <div>
        <Button
          icon={<Plug size={18} />}
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
  const [proxied, signed] = useWatch({ name: ['web_proxy', 'enable_sign'] }) as [unknown, unknown];
  if (proxied !== true) return null;
  return (
    <>
      <FieldInput source="enable_sign" />
      {signed === true && <FieldInput source="sign_expires" />}
    </>
  );
}
