import { Footprints, ShieldUser } from 'lucide-react';
import { Suspense } from 'react';
import type { ShareKind } from '../../api/visits';
import type { Translate } from '../../i18n';
import { lazyPart } from '../../shared/lazyPart';
import type { RowAction } from '../list/columns';

const VisitsDialog = lazyPart(() => import('../../shared/visits/VisitsDialog'), 'visits');
const AccessDialog = lazyPart(() => import('../../shared/visits/AccessDialog'), 'visits');

/** ShareDialog is what about the visitors of a share is opened. */
export type ShareDialog = 'visits' | 'access';

/** visitorActions open what is about the visitors of a share: who came, and who may. */
export const visitorActions = (t: Translate, open: (as: ShareDialog) => void): RowAction[] => [
  {
    label: t('admin.share.visits'),
    icon: Footprints,
    run: () => open('visits'),
  },
  {
    label: t('admin.share.access'),
    icon: ShieldUser,
    run: () => open('access'),
  },
];

interface VisitorDialogProps {
  as: ShareDialog;
  kind: ShareKind;
  id: string;
  name: string;
  onClose: () => void;
  onSaved: () => void;
}

/** VisitorDialog is the dialog that a visitorAction opens. */
export function VisitorDialog({ as, onSaved, ...of }: VisitorDialogProps) {
  return (
    <Suspense fallback={null}>
      {as === 'visits' ? <VisitsDialog {...of} /> : <AccessDialog {...of} onSaved={onSaved} />}
    </Suspense>
  );
}
