import { useT } from '../../i18n';
import { PanelPage } from '../list/PanelPage';
import { SecondStep } from './SecondStep';

/** The page of the second step at sign-in. */
export default function SecondStepPage() {
  const t = useT();
  return (
    <PanelPage title={t('admin.pages.secondStep')}>
      <SecondStep />
    </PanelPage>
  );
}
