import { CopyPlus, Link2Off, Plug, Power, RefreshCw, Share2, TimerOff } from 'lucide-react';
import { useState } from 'react';
import { useNotify, useRefresh } from 'react-admin';
import { countShares, retireKey, revokeShares, rotateKey, type Key } from '../../api/admin/keys';
import { useLanguage, useT } from '../../i18n';
import { Button, choicesOf, SelectField } from '../../shared/ui';
import { confirmed } from '../form/confirmed';
import { Toggle } from '../form/inputs';
import { columnsOf } from '../form/fields';
import type { RowAction } from '../list/columns';
import { useNavigate } from '../router';
import { listLink } from '../list/listLink';
import { PanelList } from '../list/PanelList';
import { useSwitchRow } from '../list/useSwitchRow';
import type { Chosen } from '../share/useRemoval';
import { useAct } from '../useAct';
import { ConnectDialog } from './Connect';
import { keyFields } from './fields';
import { KeyOnce } from './KeyOnce';

const form = '/admin/key-management';

/** KeyList shows the keys; their values are masked, but for the moment in which one is made. */
export default function KeyList() {
  const t = useT();
  const language = useLanguage();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const [made, setMade] = useState<Key>();
  const [connecting, setConnecting] = useState(false);
  const notify = useNotify();
  const { ask } = useAct();
  const turn = useSwitchRow();

  /** asks whether the shares of a key that is deleted by itself are to go with it. */
  async function asks([row, ...others]: readonly Chosen<Key>[]) {
    const total = row && others.length === 0 ? (await countShares(row.id)).total : 0;
    if (total === 0) return {};
    const meta = { revoke: false };
    const body = (
      <>
        <p>{t('admin.keys.deleteBody')}</p>
        <Revoke shares={total} onChange={(on) => (meta.revoke = on)} />
      </>
    );
    return { body, meta: () => meta };
  }

  function rotate(row: Key) {
    const choice = { hours: 24 };
    const until = () =>
      choice.hours > 0 ? new Date(Date.now() + choice.hours * 3_600_000).toISOString() : undefined;
    return ask('admin.keys.rotate', {
      values: { name: row.name },
      body: <Overlap former={row.former} onChange={(hours) => (choice.hours = hours)} />,
      closes: true,
      run: () =>
        confirmed(() => rotateKey(row.id, until()), t)
          .then(setMade)
          .finally(refresh),
    });
  }

  const retire = (row: Key) =>
    ask('admin.keys.retire', {
      values: { name: row.name },
      danger: true,
      run: () => retireKey(row.id).finally(refresh),
    });

  /** revokeAll ends what a key has shared; the key stays. */
  async function revokeAll(row: Key) {
    const { total } = await countShares(row.id);
    if (total === 0) {
      notify(t('admin.keys.noShares', { name: row.name }));
      return;
    }
    await ask('admin.keys.revoke', {
      values: { name: row.name, smart_count: total },
      confirmLabel: t('admin.keys.revokeAll'),
      danger: true,
      run: () => revokeShares(row.id),
      done: (revoked) => t('admin.keys.revoked', revoked.total),
    });
  }

  const actions = (row: Key): RowAction[] => [
    { label: t('admin.keys.rotate'), icon: RefreshCw, run: () => rotate(row) },
    ...(row.former ? [{ label: t('admin.keys.retire'), icon: TimerOff, run: () => retire(row) }] : []),
    {
      label: t(row.is_active ? 'admin.keys.turnOff' : 'admin.keys.turnOn'),
      icon: Power,
      run: () => void turn(row),
    },
    {
      label: t('admin.keys.clone'),
      icon: CopyPlus,
      run: () => void navigate(`${form}/create`, { state: { of: row } }),
    },
    {
      label: t('admin.keys.shares'),
      icon: Share2,
      run: () => void navigate(listLink('shares', { from: `created_by apikey:${row.id}` })),
    },
    { label: t('admin.keys.revokeAll'), icon: Link2Off, run: () => revokeAll(row), danger: true },
  ];

  return (
    <PanelList<Key>
      form
      words="admin.keys"
      tools={
        <Button icon={<Plug size={18} />} onClick={() => setConnecting(true)}>
          {t('admin.keys.connect.title')}
        </Button>
      }
      columns={columnsOf(keyFields(t, language))}
      actions={actions}
      exportName="keys"
      filters={[
        {
          name: 'state',
          label: t('admin.share.state'),
          choices: [
            { value: 'active', label: t('admin.keys.active') },
            { value: 'expired', label: t('admin.keys.expired') },
            { value: 'off', label: t('admin.keys.off') },
          ],
        },
      ]}
      removes={{ asks }}
    >
      {connecting && <ConnectDialog form={form} onClose={() => setConnecting(false)} />}
      {made && <KeyOnce made={made} onClose={() => setMade(undefined)} />}
    </PanelList>
  );
}

/** overlaps are how many hours an old value may go on working. */
const overlaps = { none: 0, day: 24, week: 168, month: 720 } as const;

/** Overlap is until when the old value of a rotated key works. */
function Overlap({
  former,
  onChange,
}: {
  former: Key['former'] | undefined;
  onChange: (hours: number) => void;
}) {
  const t = useT();
  const [chosen, setChosen] = useState<keyof typeof overlaps>('day');
  return (
    <>
      <SelectField
        label={t('admin.keys.overlap.label')}
        hint={t(chosen === 'none' ? 'admin.keys.overlap.atOnce' : 'admin.keys.overlap.both')}
        value={chosen}
        choices={choicesOf(Object.keys(overlaps), (value) => t(`admin.keys.overlap.for.${value}`))}
        onChange={(event) => {
          const value = event.target.value as keyof typeof overlaps;
          setChosen(value);
          onChange(overlaps[value]);
        }}
      />
      {former && <p>{t('admin.keys.overlap.third', { key: former.key_masked })}</p>}
    </>
  );
}

/** Revoke is whether the shares of a key go with it. */
function Revoke({ shares, onChange }: { shares: number; onChange: (on: boolean) => void }) {
  const t = useT();
  const [on, setOn] = useState(false);
  const turn = (next: boolean) => {
    setOn(next);
    onChange(next);
  };
  return <Toggle label={t('admin.keys.revoke', shares)} on={on} onChange={turn} />;
}
