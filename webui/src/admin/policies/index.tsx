import { useState } from 'react';
import { useNotify } from 'react-admin';
import { confirmRules, type Decision, type Revision, type Rules } from '../../api/admin/operations';
import { useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { Button, confirm, Segmented, TimeIn } from '../../shared/ui';
import { policiesQuery } from '../data/queries';
import { confirmed } from '../form/confirmed';
import { useLeaveGuard } from '../form/useLeaveGuard';
import { PanelPage } from '../list/PanelPage';
import { Loaded } from '../ops/Loaded';
import styles from '../ops/ops.module.css';
import { useSearchParams } from '../router';
import { questionOf, useAct } from '../useAct';
import { Decisions } from './Decisions';
import { Editor, filesOf, type Draft } from './Editor';
import { Gallery } from './Gallery';
import { Playground } from './Playground';
import { Revisions } from './Revisions';

const parts = ['rules', 'gallery', 'revisions', 'try', 'log'] as const;
type Part = (typeof parts)[number];

/** Policies is for authors of rules: editor and tests, revisions, a playground and the log of decisions (§7.11). */
export default function Policies() {
  const t = useT();
  // A refusal leads here by its decision, so the part that is shown stands in the address.
  const [params, setParams] = useSearchParams();
  const decision = params.get('decision') ?? '';
  const [chosen, choose] = useState<Part | undefined>(
    decision ? 'log' : parts.find((name) => name === params.get('part')),
  );
  // Who has just added rules goes on where they are checked.
  const [added, setAdded] = useState(false);
  const setPart = (next: Part, adds = false) => {
    choose(next);
    setAdded(adds);
    setParams({ part: next }, { replace: true });
  };
  const { act } = useAct();
  const state = useReading(policiesQuery);
  const overview = state.data;
  // Where there are no rules yet, the ready ones come first.
  const begun = !overview || Object.keys(overview.files).length > 0 || overview.revisions.length > 0;
  const part = chosen ?? (begun ? 'rules' : 'gallery');
  // A revision that was opened gives way when other rules come into force.
  const [opened, setOpened] = useState<{ one: Revision; over: string }>();
  const shown = opened?.over === overview?.in_force ? opened?.one : undefined;

  const notify = useNotify();
  const [asked, setAsked] = useState<Decision>();

  // What is written stays while another part is looked at, and when other rules come into force meanwhile.
  const [written, setWritten] = useState<Draft & { over: string | undefined }>();
  const draft = written && (!written.saved || written.over === overview?.in_force) ? written : undefined;
  const unsaved = draft?.saved === false;
  useLeaveGuard(unsaved);

  /** mayDrop asks before unsaved rules are replaced. */
  const mayDrop = async (body: string) =>
    !unsaved || (await confirm(questionOf(t, 'ops.policies.drop', { body, danger: true })));

  async function open(one: Revision, over: string) {
    if (!(await mayDrop(t('ops.policies.dropBody', { number: one.number })))) return;
    setWritten(undefined);
    setOpened({ one, over });
    setPart('rules');
  }

  async function take(files: Rules, over: string) {
    if (!(await mayDrop(t('ops.policies.bundle.dropBody')))) return;
    setWritten({ files, saved: false, over });
    notify(t('ops.policies.bundle.imported'), { type: 'success' });
    setPart('rules', true);
  }

  const keep = () => act(() => confirmed(confirmRules, t).then(state.retry), t('ops.policies.confirmed'));

  return (
    <PanelPage intro={t('ops.policies.intro')}>
      <div className={styles.parts}>
        <Segmented
          label={t('ops.policies.parts')}
          value={part}
          onChange={setPart}
          choices={[
            { value: 'rules', label: t('ops.policies.rules') },
            { value: 'gallery', label: t('ops.policies.gallery.part') },
            { value: 'revisions', label: t('ops.policies.revisions') },
            { value: 'try', label: t('ops.policies.try') },
            { value: 'log', label: t('ops.policies.log') },
          ]}
        />
      </div>
      <Loaded of={state} lines={8}>
        {(overview) => (
          <div className={styles.part}>
            {overview.broken && (
              <div className={styles.banner} role="alert">
                <span className={styles.bad}>{t('ops.policies.broken')}</span> {overview.broken}
              </div>
            )}
            {overview.state.failed && (
              <div className={styles.banner} role="alert">
                <span className={styles.bad}>{t('ops.policies.putBack')}</span> {overview.state.failed}
              </div>
            )}
            {overview.source === 'folder' && (
              <div className={styles.banner}>{t('ops.policies.folder', { folder: overview.folder })}</div>
            )}
            {overview.state.trial_ends_at && (
              <div className={styles.banner} role="status">
                <span>
                  <TimeIn sentence="ops.policies.onTrial" value={overview.state.trial_ends_at} />
                </span>
                <Button variant="primary" onClick={keep}>
                  {t('ops.policies.confirm')}
                </Button>
              </div>
            )}
            {part === 'rules' && (
              <Editor
                key={`${overview.in_force} ${shown?.id}`}
                overview={overview}
                opened={shown}
                draft={draft}
                added={added}
                onDraft={(next) => setWritten({ ...next, over: overview.in_force })}
                onChanged={state.retry}
              />
            )}
            {part === 'gallery' && (
              <Gallery
                files={filesOf(overview, shown, draft)}
                fixed={overview.source === 'folder'}
                onAdd={(added) => {
                  const files = { ...filesOf(overview, shown, draft), ...added };
                  setWritten({ files, saved: false, over: overview.in_force });
                  notify(t('ops.policies.gallery.added'), { type: 'success' });
                  setPart('rules', true);
                }}
              />
            )}
            {part === 'revisions' && (
              <Revisions
                overview={overview}
                onChanged={state.retry}
                onOpen={(one) => void open(one, overview.in_force)}
                onImport={(files) => void take(files, overview.in_force)}
              />
            )}
            {part === 'try' && (
              <Playground
                overview={overview}
                draft={unsaved ? draft.files : undefined}
                decision={asked}
                onLeave={() => setAsked(undefined)}
              />
            )}
            {part === 'log' && (
              <Decisions
                id={decision}
                onTry={(one) => {
                  setAsked(one);
                  setPart('try');
                }}
                onFind={(id) => setParams(id ? { decision: id } : { part: 'log' }, { replace: true })}
              />
            )}
          </div>
        )}
      </Loaded>
    </PanelPage>
  );
}
