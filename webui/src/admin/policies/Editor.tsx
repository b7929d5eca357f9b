import { useState } from 'react';
import { useNotify } from 'react-admin';
import {
  checkRules,
  effectOf,
  saveRules,
  type Effect,
  type PolicyOverview,
  type Problem,
  type Report,
  type Revision,
  type Rules,
} from '../../api/admin/operations';
import { useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { ProblemList } from '../../shared/ui/ProblemList';
import { askText, Button, SelectField, Time } from '../../shared/ui';
import { rulesInForceQuery } from '../data/queries';
import { confirmed } from '../form/confirmed';
import styles from '../ops/ops.module.css';
import { Table } from '../ops/Table';
import { useAct } from '../useAct';
import { useActivation } from './useActivation';
import { EffectTable } from './EffectTable';
import { RulesText } from './RulesText';
import { SaveDialog } from './SaveDialog';
import { useProblems } from './useProblems';

const start: Rules = { 'site.rego': 'package pasteport.site\n' };

interface EditorProps {
  overview: PolicyOverview;
  /** opened is a revision that is shown first in place of the rules in force. */
  opened: Revision | undefined;
  /** draft is what was made of them; it outlives this component. */
  draft: Draft | undefined;
  /** added says that it was filled from elsewhere just now: the focus goes to what comes next. */
  added: boolean;
  onDraft: (draft: Draft) => void;
  onChanged: () => void;
}

/** A Draft is rules that are being written; they may be saved as a revision that is not in force. */
export interface Draft {
  files: Rules;
  saved: boolean;
}

/** filesOf are the rules that are being written: the draft, else what was opened, else what is in force. */
export function filesOf(overview: PolicyOverview, opened?: Revision, draft?: Draft): Rules {
  const stored = opened?.files ?? overview.files;
  return draft?.files ?? (Object.keys(stored).length > 0 ? stored : start);
}

/** Editor changes the files of the rules; what it shows is in force only after a revision of it is. */
export function Editor({ overview, opened, draft, added, onDraft, onChanged }: EditorProps) {
  const t = useT();
  const fixed = overview.source === 'folder';
  const files = filesOf(overview, opened, draft);
  const [effect, setEffect] = useState<Effect>();
  const [saving, setSaving] = useState<Effect>();
  const setFiles = (next: Rules) => {
    setEffect(undefined);
    onDraft({ files: next, saved: false });
  };
  const names = Object.keys(files).sort();
  const [chosen, setChosen] = useState(names[0] ?? '');
  const [report, setReport] = useState<Report>();
  const [checks, setChecks] = useState(0);
  const { ask } = useAct();
  const checking = useAct();
  const foreseeing = useAct();
  const saves = useAct();
  const busy = checking.busy || foreseeing.busy || saves.busy;
  const notify = useNotify();
  const offer = useActivation();
  const { data: hits = [] } = useReading(rulesInForceQuery(overview.in_force));
  const name = names.includes(chosen) ? chosen : (names[0] ?? '');
  const [place, setPlace] = useState<Problem>();
  const typed = useProblems(draft?.saved === false ? draft.files : undefined);

  async function check(): Promise<boolean> {
    const found = await confirmed(() => checkRules(files), t);
    setReport(found);
    setChecks((before) => before + 1);
    return found.ok;
  }

  /** foresee tells what good rules would change. */
  async function foresee(): Promise<Effect | undefined> {
    setEffect(undefined);
    return (await check()) ? confirmed(() => effectOf(files), t) : undefined;
  }

  const save = (note: string, activate: boolean) =>
    saves.act(async () => {
      setSaving(undefined);
      const saved = await confirmed(() => saveRules(files, note), t);
      onDraft({ files, saved: true });
      notify(t('ops.policies.saved', { number: saved.number }), { type: 'success' });
      await offer(saved, activate);
      onChanged();
    });

  async function add() {
    const added = await askText({
      title: t('ops.policies.addTitle'),
      label: t('ops.policies.fileName'),
      value: 'new_test.rego',
      hint: t('ops.policies.fileHint'),
      validate: (value) =>
        /^([A-Za-z0-9][A-Za-z0-9_-]*\.rego|data\.json)$/.test(value) && !(value in files)
          ? ''
          : t('ops.policies.fileHint'),
    });
    if (added === undefined) return;
    const text = added.endsWith('_test.rego')
      ? 'package pasteport.site_test\n\nimport data.pasteport.site\n'
      : added === 'data.json'
        ? '{}\n'
        : 'package pasteport.site\n';
    setFiles({ ...files, [added]: text });
    setChosen(added);
  }

  const remove = () =>
    ask('ops.policies.remove', {
      values: { name },
      confirmLabel: t('common.delete'),
      danger: true,
      run: async () => setFiles(Object.fromEntries(Object.entries(files).filter(([file]) => file !== name))),
    });

  return (
    <>
      {opened && (
        <p role="status" className={styles.muted}>
          {t('ops.policies.opened', { number: opened.number, note: opened.note })}
        </p>
      )}
      <div className={styles.row}>
        <SelectField
          label={t('ops.policies.file')}
          value={name}
          onChange={(event) => setChosen(event.target.value)}
          choices={names.map((file) => ({ value: file, label: file }))}
        />
        {!fixed && (
          <>
            <Button onClick={() => void add()}>{t('ops.policies.add')}</Button>
            <Button disabled={names.length < 2} onClick={() => void remove()}>
              {t('ops.policies.remove')}
            </Button>
          </>
        )}
        <Button
          autoFocus={added}
          busy={checking.busy}
          disabled={busy && !checking.busy}
          onClick={() => checking.act(check)}
        >
          {t('ops.policies.check')}
        </Button>
        <Button
          busy={foreseeing.busy}
          disabled={busy && !foreseeing.busy}
          onClick={() => foreseeing.act(async () => setEffect(await foresee()))}
        >
          {t('ops.policies.effect.show')}
        </Button>
        {!fixed && (
          <Button
            variant="primary"
            busy={saves.busy}
            disabled={busy && !saves.busy}
            onClick={() => saves.act(async () => setSaving(await foresee()))}
          >
            {t('ops.policies.save')}
          </Button>
        )}
        {draft?.saved === false && <span className={styles.unsaved}>{t('admin.form.unsaved')}</span>}
      </div>
      <RulesText
        file={name}
        label={t('ops.policies.text', { name })}
        files={files}
        readOnly={fixed}
        value={files[name] ?? ''}
        problems={typed}
        place={place?.file === name ? place : undefined}
        onText={(text) => setFiles({ ...files, [name]: text })}
      />
      <p role="status" className={`${styles.problem} ${styles.line} ${styles.bad}`}>
        {typed[0] && whereOf(typed[0]).split('\n', 1)[0]}
        {typed.length > 1 && ` ${t('ops.policies.moreProblems', { smart_count: typed.length - 1 })}`}
      </p>
      {report && (
        <CheckReport
          key={checks}
          report={report}
          onFormat={() => setFiles({ ...files, ...report.formatted })}
          goTo={(problem) =>
            problem.file in files
              ? () => {
                  setChosen(problem.file);
                  setPlace({ ...problem });
                }
              : undefined
          }
        />
      )}
      {effect && (
        <section className={styles.part} aria-label={t('ops.policies.effect.title')}>
          <h2>{t('ops.policies.effect.title')}</h2>
          <EffectTable effect={effect} />
        </section>
      )}
      {saving && <SaveDialog effect={saving} onSave={save} onClose={() => setSaving(undefined)} />}
      {hits.length > 0 && (
        <section className={styles.part}>
          <h2>{t('ops.policies.inForce')}</h2>
          <Table
            label={t('ops.policies.inForce')}
            rows={hits}
            keyOf={(rule) => `${rule.file}:${rule.row}`}
            columns={[
              { label: t('ops.policies.code'), render: (rule) => <code>{rule.code}</code> },
              {
                label: t('ops.policies.title'),
                long: true,
                render: (rule) => (
                  <>
                    {rule.title || rule.description}
                    {rule.title && rule.description && (
                      <span className={styles.more}>{rule.description}</span>
                    )}
                  </>
                ),
              },
              { label: t('ops.policies.owner'), render: (rule) => rule.owner },
              { label: t('ops.policies.kind'), render: (rule) => t(`ops.policies.set.${rule.set}`) },
              {
                label: t('ops.policies.hitsDay'),
                render: (rule) => (rule.set === 'deny' ? rule.hits_24h : ''),
              },
              { label: t('ops.policies.hitsAll'), render: (rule) => (rule.set === 'deny' ? rule.hits : '') },
              {
                label: t('ops.policies.lastHit'),
                render: (rule) => rule.last_hit && <Time value={rule.last_hit} />,
              },
            ]}
          />
        </section>
      )}
    </>
  );
}

/** whereOf is a problem with its place. */
const whereOf = ({ file, row, column, message }: Problem) =>
  file ? `${file}:${row}:${column} ${message}` : message;

interface CheckReportProps {
  report: Report;
  onFormat: () => void;
  /** goTo gives the way to a problem, if there is one. */
  goTo: (problem: Problem) => (() => void) | undefined;
}

const focusFirst = (element: HTMLElement | null) => element?.focus();

/** CheckReport shows what a check of the rules has found; what is wrong takes the focus. */
function CheckReport({ report, onFormat, goTo }: CheckReportProps) {
  const t = useT();
  const failed = report.tests.filter((test) => !test.passed);
  return (
    <section className={styles.panel} role="status" aria-label={t('ops.policies.report')}>
      <p className={report.ok ? styles.good : styles.bad}>
        {report.ok ? t('ops.policies.good', { rules: report.rules.length }) : t('ops.policies.notGood')}
      </p>
      {report.problems.length > 0 && (
        <ProblemList
          ref={focusFirst}
          problems={report.problems.map((problem) => ({
            text: <code className={styles.problem}>{whereOf(problem)}</code>,
            go: goTo(problem),
          }))}
        />
      )}
      {report.tests.length > 0 && (
        <p>
          {t('ops.policies.tests', { passed: report.tests.length - failed.length, all: report.tests.length })}
          {' · '}
          {t('ops.policies.coverage', { percent: report.percent.toFixed(1) })}
        </p>
      )}
      {failed.length > 0 && (
        <ul>
          {failed.map((test) => (
            <li key={test.name} className={styles.bad}>
              <code>{`${test.file}:${test.row} ${test.name}`}</code> {test.message}
            </li>
          ))}
        </ul>
      )}
      {report.coverage.some((file) => file.not_covered.length > 0) && report.tests.length > 0 && (
        <p className={styles.muted}>
          {t('ops.policies.notCovered')}{' '}
          {report.coverage
            .flatMap((file) =>
              file.not_covered.map(([from, to]) => `${file.file}:${from}${to > from ? `-${to}` : ''}`),
            )
            .join(', ')}
        </p>
      )}
      {Object.keys(report.formatted).length > 0 && (
        <div>
          <Button onClick={onFormat}>{t('ops.policies.format')}</Button>
        </div>
      )}
    </section>
  );
}
