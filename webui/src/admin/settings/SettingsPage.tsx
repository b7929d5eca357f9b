import { useState, type ReactNode } from 'react';
import { useNotify } from 'react-admin';
import type { FieldValues } from 'react-hook-form';
import { readGroup, saveGroup, type SettingRow } from '../../api/admin/system';
import { isQueued } from '../../api/errors';
import { against } from '../../api/tagged';
import { hasMessage, useT } from '../../i18n';
import { useSynced } from '../../shared/offline/synced';
import { tellQueued } from '../../shared/offline/tellError';
import { useReading } from '../../shared/query/useReading';
import { hasUnsaved } from '../../shared/unsaved';
import { settingsFormQuery } from '../data/queries';
import { confirmed } from '../form/confirmed';
import { changesOf } from '../form/changes';
import { draftOf, FieldInput, linesOf, valuesOf } from '../form/fields';
import formStyles from '../form/form.module.css';
import { pairClass, PanelForm, Section } from '../form/PanelForm';
import { useConflict } from '../form/useConflict';
import { PanelPage } from '../list/PanelPage';
import { Loaded } from '../ops/Loaded';
import { fieldsOf, textsOf, type SettingSection, type Stored } from './fields';
import { learnRules } from './pageRules';
import styles from './settings.module.css';

interface SettingsPageProps {
  group: 1 | 2 | 3 | 4 | 5;
  sections: readonly SettingSection[];
  onSaved?: () => void;
  tools?: ReactNode;
  /** below stands under the form, or beside it where there is room, for what is not saved. */
  below?: ReactNode;
}

const storedOf = (rows: readonly SettingRow[]): Stored =>
  Object.fromEntries(rows.map((row) => [row.key, row.value]));

/** Settings is a page of one group of settings (§7.10): loaded, changed, saved; what was refused is said by name. */
export function SettingsPage(props: SettingsPageProps) {
  const { group, sections, onSaved, tools, below } = props;
  const t = useT();
  const notify = useNotify();
  const fields = fieldsOf(sections, t);
  const read = useReading(settingsFormQuery(group));
  const { data: value, retry, replace } = read;
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
    const began = valuesOf(fields, storedOf(rows));
    const changed = changesOf(textsOf(draftOf(fields, began)), textsOf(draftOf(fields, values))) as Stored;
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
      base: linesOf(fields, began),
      mine: linesOf(fields, values),
      linesOf: (now) => linesOf(fields, valuesOf(fields, storedOf(now))),
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
    setRefused(refusals.map(({ key, error }) => ({ name: fields[key]?.label ?? key, error })));
    const kept = new Set(refusals.map((problem) => problem.key));
    replace({
      value: latest.map((row) =>
        row.key in changed && !kept.has(row.key) ? { ...row, value: changed[row.key] ?? '' } : row,
      ),
      tag: saved.done?.tag || tag,
    });
    if (errors) learnRules(Object.fromEntries(Object.entries(changed).filter(([key]) => !kept.has(key))));
    if (errors?.length === 0) notify(t('admin.settings.saved'), { type: 'success' });
    if (errors) onSaved?.();
  }

  return (
    <PanelPage>
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
      <Loaded of={read} lines={10}>
        {({ value: rows }) => (
          <div className={below ? styles.beside : undefined}>
            <PanelForm
              key={taken}
              fields={fields}
              record={valuesOf(fields, storedOf(rows))}
              save={save}
              tools={tools}
            >
              {sections.map((section) => (
                <Section key={section.name} title={t(`admin.settings.sections.${section.name}`)}>
                  <Intro of={section} />
                  <Inputs of={section.settings} />
                </Section>
              ))}
            </PanelForm>
            {below}
          </div>
        )}
      </Loaded>
      {conflict.dialog}
    </PanelPage>
  );
}

function Intro({ of: { name, warning } }: { of: SettingSection }) {
  const t = useT();
  const intro = `admin.settings.intro.${name}`;
  return hasMessage(intro) && <p className={warning ? styles.warning : formStyles.hint}>{t(intro)}</p>;
}

/** Inputs are the inputs of settings in their order; pairs stand side by side where there is room. */
const Inputs = ({ of }: { of: SettingSection['settings'] }) => (
  <div className={pairClass}>
    {Object.entries(of).map(([name, { shown = <FieldInput source={name} />, below, pair }]) => (
      <div key={name} className={pair ? undefined : styles.wide}>
        {shown}
        {below}
      </div>
    ))}
  </div>
);
