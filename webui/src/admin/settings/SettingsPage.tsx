import { useState, type ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { readGroup, saveGroup, type SettingRow } from '../../api/admin/system';
import { isQueued } from '../../api/errors';
import { against } from '../../api/tagged';
import { useT } from '../../i18n';
import { useSynced } from '../../shared/offline/synced';
import { tellQueued } from '../../shared/offline/tellError';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { useReading } from '../../shared/query/useReading';
import { Skeleton, toast } from '../../shared/ui';
import { hasUnsaved } from '../../shared/unsaved';
import { settingsFormQuery } from '../data/queries';
import { confirmed } from '../form/confirmed';
import type { Lines } from '../form/changes';
import { PanelForm } from '../form/PanelForm';
import { useConflict } from '../form/useConflict';
import { PanelPage } from '../list/PanelPage';
import { learnRules } from './pageRules';
import styles from './settings.module.css';

interface SettingsPageProps {
  title: string;
  group: 1 | 2 | 3 | 4 | 5;
  /** toForm and toSettings turn the stored texts into what the form holds and back; by default they are the same. */
  toForm?: (stored: Record<string, string>) => FieldValues;
  toSettings?: (values: FieldValues) => Record<string, string>;
  onSaved?: () => void;
  tools?: ReactNode;
  /** below stands under the form, for what is not saved. */
  below?: ReactNode;
  children: ReactNode;
}

const storedOf = (rows: readonly SettingRow[]): Record<string, string> =>
  Object.fromEntries(rows.map((row) => [row.key, row.value]));

/** texts writes what a form holds as the server keeps it. */
export const texts = (values: FieldValues): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined && typeof value !== 'object')
      .map(([key, value]) => [key, String(value)]),
  );

/** Settings is a page of one group of settings (§7.10): loaded, changed, saved; what was refused is said by name. */
export function SettingsPage(props: SettingsPageProps) {
  const {
    title,
    group,
    toForm = (stored) => stored,
    toSettings = texts,
    onSaved,
    tools,
    below,
    children,
  } = props;
  const t = useT();
  const { data: value, error, retry, replace } = useReading(settingsFormQuery(group));
  // What was typed since stays; the server's values are there when the page is opened next.
  useSynced((kinds) => {
    if (kinds.includes('updateGroupSettings') && !hasUnsaved()) retry();
  });
  const conflict = useConflict();
  // Another form begins where the other version was taken.
  const [taken, setTaken] = useState(0);
  const [refused, setRefused] = useState<{ name: string; error: string }[]>([]);

  async function save(values: FieldValues) {
    if (!value) return;
    const { value: rows, tag } = value;
    const before = storedOf(rows);
    const wanted = toSettings(values);
    const changed = Object.fromEntries(
      Object.entries(wanted).filter(([key, text]) => key in before && before[key] !== text),
    );
    const linesOf = (texts: Record<string, string>): Lines =>
      rows.filter(({ key }) => key in wanted).map((row) => [row.description || row.key, texts[row.key]]);
    let latest = rows;
    const saved = await conflict.save({
      tag,
      send: (seen) =>
        confirmed(() => saveGroup(group, changed, against(seen)), t).catch((problem: unknown) => {
          if (!isQueued(problem)) throw problem;
          return undefined;
        }),
      load: async () => {
        const now = await readGroup(group);
        latest = now.value;
        return now;
      },
      base: linesOf(before),
      mine: linesOf({ ...before, ...wanted }),
      linesOf: (now) => linesOf(storedOf(now)),
      reload: (now) => {
        setRefused([]);
        setTaken(taken + 1);
        replace(now);
      },
    });
    if (!saved) return;
    const errors = saved.done?.errors;
    if (!errors) tellQueued(t);
    const refusals = errors ?? [];
    const names = new Map(rows.map((row) => [row.key, row.description]));
    setRefused(
      refusals.map((problem) => ({ name: names.get(problem.key) ?? problem.key, error: problem.error })),
    );
    const kept = new Set(refusals.map((problem) => problem.key));
    replace({
      value: latest.map((row) =>
        row.key in changed && !kept.has(row.key) ? { ...row, value: changed[row.key] ?? '' } : row,
      ),
      tag: saved.done?.tag || tag,
    });
    if (errors) learnRules(Object.fromEntries(Object.entries(changed).filter(([key]) => !kept.has(key))));
    if (errors?.length === 0) toast.success(t('admin.settings.saved'));
    if (errors) onSaved?.();
  }

  return (
    <PanelPage title={title}>
      {error && <ErrorPanel error={error} onRetry={retry} />}
      {!value && !error && <Skeleton lines={10} />}
      {refused.length > 0 && (
        <div role="alert" className={styles.refused}>
          <p>{t('admin.settings.partly')}</p>
          <ul>
            {refused.map((problem) => (
              <li key={problem.name}>
                <strong>{problem.name}</strong>: {problem.error}
              </li>
            ))}
          </ul>
        </div>
      )}
      {value && (
        <PanelForm key={taken} record={toForm(storedOf(value.value))} save={save} tools={tools}>
          {children}
        </PanelForm>
      )}
      {value && below}
      {conflict.dialog}
    </PanelPage>
  );
}
