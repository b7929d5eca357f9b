import { useQueryClient } from '@tanstack/react-query';
import { Fragment, useState, type ReactNode } from 'react';
import {
  useCreate,
  useDataProvider,
  useNotify,
  useResourceContext,
  useUpdate,
  type RaRecord,
} from 'react-admin';
import type { FieldValues } from 'react-hook-form';
import type { ApiError } from '../../api/errors';
import { useT } from '../../i18n';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { Skeleton } from '../../shared/ui';
import { useFreshRecord } from '../data/records';
import { PanelPage } from '../list/PanelPage';
import { useNavigate, useParams } from '../router';
import { changesOf } from './changes';
import { confirmed } from './confirmed';
import { draftOf, linesOf, valuesOf, type Fields } from './fields';
import { PanelForm } from './PanelForm';
import { useConflict } from './useConflict';

/** A record that has a name and says by `etag` which version it is. */
interface Versioned extends RaRecord<string> {
  name: string;
  etag?: string;
}

/** What a form must have read before it is there. */
interface Reading {
  data?: unknown;
  error: Error | null;
  retry: () => void;
}

interface RecordPageProps<R> {
  /** titles are the message keys of its heading: what is made, what is changed, and the page above. */
  titles: { create: string; edit: string; list: string };
  /** needs is what the form must have read besides its record. */
  needs?: readonly Reading[];
  /** children is the form for a record, or for a new one; `reload` reads the record again. */
  children: (record: R | undefined, reload: () => void) => ReactNode;
}

/** RecordPage is the page on which a record of a resource is made or changed. */
export function RecordPage<R extends Versioned>({ titles, needs = [], children }: RecordPageProps<R>) {
  const t = useT();
  const { id } = useParams();
  const one = useFreshRecord<R>(useResourceContext() ?? '', id);
  const all = id ? [one, ...needs] : needs;
  const problem = all.find(({ error }) => error)?.error;
  const ready = all.every(({ data }) => data !== undefined);
  const record = one.data;
  const title = !id
    ? t(titles.create)
    : record || !problem
      ? t(titles.edit, { name: record?.name ?? '…' })
      : t(titles.list);
  return (
    <PanelPage title={title}>
      {problem && (
        <ErrorPanel
          error={problem}
          onRetry={() => all.filter(({ error }) => error).forEach(({ retry }) => retry())}
        />
      )}
      {!ready && !problem && <Skeleton lines={8} />}
      {ready && <Fragment key={record?.etag}>{children(record, one.retry)}</Fragment>}
    </PanelPage>
  );
}

interface RecordFormProps<R> {
  record: R | undefined;
  reload: () => void;
  fields: Fields<R>;
  /** begin is what the form holds for a record, where the fields do not tell it all. */
  begin?: (record?: R) => FieldValues;
  /** sending may ask before something is sent, and send more; false when it is not wanted after all. */
  sending?: (send: (more?: object) => Promise<unknown>) => Promise<unknown>;
  /** once is a dialog on what nobody can see again of a new record; where it is, closing it leads back to the list. */
  once?: (made: R, onClose: () => void) => ReactNode;
  fieldOf?: (error: ApiError) => string | undefined;
  tools?: ReactNode;
  children: ReactNode;
}

/** RecordForm saves a record, and asks where somebody else has changed it meanwhile. */
export function RecordForm<R extends Versioned>(props: RecordFormProps<R>) {
  const { record, reload, fields, sending = (send) => send(), once } = props;
  const { begin = (of) => valuesOf(fields, of) } = props;
  const t = useT();
  const navigate = useNavigate();
  const notify = useNotify();
  const resource = useResourceContext() ?? '';
  const dataProvider = useDataProvider();
  const client = useQueryClient();
  const [made, setMade] = useState<R>();
  const [create] = useCreate<R>(resource);
  const [update] = useUpdate<R>(resource);
  const conflict = useConflict();
  // The fields keep what they began with, also where that depends on the time or on what is chosen.
  const [began] = useState(() => begin(record));
  const back = () => void navigate(`/admin/${resource}`);

  async function save(values: FieldValues) {
    const wanted = draftOf(fields, values);
    if (record) {
      const { id } = record;
      const changes = changesOf(draftOf(fields, began), wanted);
      const change = async (previousData: R, more?: object) => {
        const data = { ...changes, ...more } as Partial<R>;
        if (Object.keys(data).length > 0)
          await update(resource, { id, data, previousData }, { returnPromise: true });
      };
      const saved = await conflict.save<R, unknown>({
        tag: record.etag ?? '',
        send: (etag) => sending((more) => confirmed(() => change({ ...record, etag }, more), t)),
        load: async () => {
          const { data: value } = await dataProvider.getOne<R>(resource, { id });
          return { value, tag: value.etag ?? '' };
        },
        base: linesOf(fields, began, record),
        mine: linesOf(fields, values, record),
        linesOf: (now) => linesOf(fields, begin(now), now),
        reload,
      });
      if (!saved || saved.done === false) return false;
    } else {
      const data = wanted as Partial<R>;
      const fresh = (await confirmed(() => create(resource, { data }, { returnPromise: true }), t)) as R;
      if (once?.(fresh, back)) {
        // Its secret is kept nowhere but in the dialog.
        client.removeQueries({ queryKey: [resource, 'getOne', { id: fresh.id }] });
        setMade(fresh);
        return true;
      }
    }
    notify(t('admin.form.saved'), { type: 'success' });
    back();
    return true;
  }

  return (
    <>
      <PanelForm<R>
        fields={fields}
        record={began}
        save={save}
        always={!record}
        saveLabel={t(record ? 'admin.form.save' : 'admin.form.create')}
        onCancel={back}
        fieldOf={props.fieldOf}
        tools={props.tools}
      >
        {props.children}
      </PanelForm>
      {conflict.dialog}
      {made && once?.(made, back)}
    </>
  );
}
