import { BellRing, RefreshCw, Send } from 'lucide-react';
import { useState } from 'react';
import { useRefresh } from 'react-admin';
import { rotateChannel, testChannel, type Channel, type MadeChannel } from '../../api/admin/channels';
import { useLanguage, useT } from '../../i18n';
import { confirm, toast } from '../../shared/ui';
import { columnsOf } from '../form/fields';
import type { RowAction } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { deleteAction } from '../list/usualActions';
import { useRemoval } from '../share/useRemoval';
import { problemText } from '../../shared/notify/problemText';
import { channelFields } from './fields';
import { SecretOnce } from '../../shared/notify/SecretOnce';

/** Channels are those who are told of events. */
export default function Channels() {
  const t = useT();
  const language = useLanguage();
  const refresh = useRefresh();
  const [made, setMade] = useState<MadeChannel>();
  const removal = useRemoval('channels');

  async function test(row: Channel) {
    const { arrived, status, problem, detail } = await testChannel(row.id);
    if (arrived) toast.success(t('channels.tested', { name: row.name }));
    else
      toast.error(
        t('channels.testFailed', { name: row.name, problem: problemText(problem, status, t, detail) }),
      );
  }

  async function rotate(row: Channel) {
    const agreed = await confirm({
      title: t('channels.rotateTitle', { name: row.name }),
      body: t('channels.rotateBody'),
      confirmLabel: t('channels.rotate'),
    });
    if (!agreed) return;
    setMade(await rotateChannel(row.id));
    refresh();
  }

  const actions = (row: Channel): RowAction[] => [
    { label: t('channels.test'), icon: Send, run: () => test(row), shown: true },
    ...(row.type === 'webhook'
      ? [{ label: t('channels.rotate'), icon: RefreshCw, run: () => rotate(row) }]
      : []),
    deleteAction(t, () => removal.remove([row])),
  ];

  return (
    <PanelList<Channel>
      title={t('admin.pages.notifications')}
      form
      words="channels"
      icon={BellRing}
      columns={columnsOf(channelFields(t, language))}
      nameOf={(row) => row.name}
      actions={actions}
      sort={{ field: 'name', order: 'ASC' }}
      exportName="notifications"
      removal={removal}
    >
      {made && <SecretOnce made={made} onClose={() => setMade(undefined)} />}
    </PanelList>
  );
}
