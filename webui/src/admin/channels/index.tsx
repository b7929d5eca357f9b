import { RefreshCw, Send } from 'lucide-react';
import { useState } from 'react';
import { useNotify, useRefresh } from 'react-admin';
import { rotateChannel, testChannel, type Channel, type MadeChannel } from '../../api/admin/channels';
import { useLanguage, useT } from '../../i18n';
import { columnsOf } from '../form/fields';
import type { RowAction } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { useAct } from '../useAct';
import { problemText } from '../../shared/notify/problemText';
import { channelFields } from './fields';
import { SecretOnce } from '../../shared/notify/SecretOnce';

/** Channels are those who are told of events. */
export default function Channels() {
  const t = useT();
  const language = useLanguage();
  const refresh = useRefresh();
  const notify = useNotify();
  const { act, ask } = useAct();
  const [made, setMade] = useState<MadeChannel>();

  const test = (row: Channel) =>
    act(
      () => testChannel(row.id),
      ({ arrived, status, problem, detail }) => {
        if (arrived) return t('channels.tested', { name: row.name });
        const reason = problemText(problem, status, t, detail);
        notify(t('channels.testFailed', { name: row.name, problem: reason }), { type: 'error' });
        return undefined;
      },
    );

  const rotate = (row: Channel) =>
    ask('channels.rotate', {
      values: { name: row.name },
      closes: true,
      run: () => rotateChannel(row.id).then(setMade).finally(refresh),
    });

  const actions = (row: Channel): RowAction[] => [
    { label: t('channels.test'), icon: Send, run: () => test(row), shown: true },
    ...(row.type === 'webhook'
      ? [{ label: t('channels.rotate'), icon: RefreshCw, run: () => rotate(row) }]
      : []),
  ];

  return (
    <PanelList<Channel>
      form
      words="channels"
      columns={columnsOf(channelFields(t, language))}
      actions={actions}
      sort={{ field: 'name', order: 'ASC' }}
      removes
    >
      {made && <SecretOnce made={made} onClose={() => setMade(undefined)} />}
    </PanelList>
  );
}
