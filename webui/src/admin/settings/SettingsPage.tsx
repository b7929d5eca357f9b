import { useState, type ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { readGroup, saveGroup, type SettingRow } from '../../api/admin/system';
import { isQueued } from '../../api/errors';
import { useT } from '../../i18n';
import { useSynced } from '../../shared/offline/synced';
import { tellQueued } from '../../shared/offline/tellError';
import { ErrorPanel, Skeleton, toast } from '../../shared/ui';
import { hasUnsaved } from '../../shared/unsaved';
import { confirmed } from '../form/confirmed';
import { PanelForm } from '../form/PanelForm';
import { PanelPage } from '../list/PanelPage';
import { useLoaded } from '../share/useLoaded';
import { learnRules } from './pageRules';
import styles from './settings.module.css';

interface SettingsPageProps {
  title: string;
  group: 1 | 2 | 3 | 4;
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
  const { value, error, retry, replace } = useLoaded(String(group), (signal) => readGroup(group, signal));
  // What was typed since stays; the server's values are there when the page is opened next.
  useSynced((kinds) => {
    if (kinds.includes('updateGroupSettings') && !hasUnsaved()) retry();
  });
  const [refused, setRefused] = useState<{ name: string; error: string }[]>([]);

  async function save(values: FieldValues) {
    if (!value) return;
    const before = storedOf(value);
    const wanted = toSettings(values);
    const changed = Object.fromEntries(
      Object.entries(wanted).filter(([key, text]) => key in before && before[key] !== text),
    );
    const errors = await confirmed(() => saveGroup(group, changed), t).then(
      (saved) => saved.errors,
      (problem: unknown) => {
        if (!isQueued(problem)) throw problem;
        return undefined;
      },
    );
    if (!errors) tellQueued(t);
    const refusals = errors ?? [];
    const names = new Map(value.map((row) => [row.key, row.description]));
    setRefused(
      refusals.map((problem) => ({ name: names.get(problem.key) ?? problem.key, error: problem.error })),
    );
    const kept = new Set(refusals.map((problem) => problem.key));
    replace(
      value.map((row) =>
        row.key in changed && !kept.has(row.key) ? { ...row, value: changed[row.key] ?? '' } : row,
      ),
    );
    if (errors) learnRules(Object.fromEntries(Object.entries(changed).filter(([key]) => !kept.has(key))));
    if (errors?.length === 0) toast.success(t('admin.settings.saved'));
    if (errors) onSaved?.();
  }

  return (
    <PanelPage title={title}>
      {error !== undefined && <ErrorPanel error={error} onRetry={retry} />}
      {!value && error === undefined && <Skeleton lines={10} />}
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
        <PanelForm record={toForm(storedOf(value))} save={save} tools={tools}>
          {children}
        </PanelForm>
      )}
      {value && below}
    </PanelPage>
  );
}
