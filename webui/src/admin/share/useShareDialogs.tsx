import { Footprints, ShieldUser } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useRefresh } from 'react-admin';
import type { ShareKind } from '../../api/visits';
import type { Translate } from '../../i18n';
import { lazyPart } from '../../shared/lazyPart';
import { QrDialog } from '../../shared/ui';
import type { RowAction } from '../list/columns';

const VisitsDialog = lazyPart(() => import('../../shared/visits/VisitsDialog'), 'visits');
const AccessDialog = lazyPart(() => import('../../shared/visits/AccessDialog'), 'visits');

/** ShareDialog is what is opened of a share; those of one kind of share alone its list shows itself. */
export type ShareDialog = 'visits' | 'access' | 'qr' | 'preview' | 'edit' | 'replace' | 'versions';

/** visitorActions open what is about the visitors of a share: who came, and who may. */
export const visitorActions = (t: Translate, open: (as: ShareDialog) => void): RowAction[] => [
  { label: t('admin.share.visits'), icon: Footprints, run: () => open('visits') },
  { label: t('admin.share.access'), icon: ShieldUser, run: () => open('access') },
];

/** What the dialogs need to know of a share. */
interface Shown {
  kind: ShareKind;
  id: string;
  name: string;
  link: string;
}

/**
 * useShareDialogs opens dialogs on the shares of a list. `dialogs` are those that all shares have; for the others
 * `opened` says which one is wanted.
 */
export function useShareDialogs<R>(of: (row: R) => Shown) {
  const refresh = useRefresh();
  const [opened, setOpened] = useState<{ row: R; as: ShareDialog }>();
  const onClose = () => setOpened(undefined);
  const onSaved = () => {
    onClose();
    refresh();
  };
  const shown = opened && of(opened.row);
  return {
    opened,
    open: (row: R, as: ShareDialog) => setOpened({ row, as }),
    onClose,
    onSaved,
    dialogs: shown && (
      <Suspense fallback={null}>
        {opened.as === 'visits' && <VisitsDialog {...shown} onClose={onClose} />}
        {opened.as === 'access' && <AccessDialog {...shown} onClose={onClose} onSaved={onSaved} />}
        {opened.as === 'qr' && <QrDialog link={shown.link} onClose={onClose} />}
      </Suspense>
    ),
  };
}
