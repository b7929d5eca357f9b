import { useT } from '../../i18n';
import { Button, Dialog } from '../../shared/ui';
import styles from './explorer.module.css';

const keys = [
  ['arrows', '↑ ↓ ← →'],
  ['ends', 'Home · End'],
  ['typeAhead', 'A … Z'],
  ['open', 'Enter'],
  ['select', 'Space'],
  ['extend', 'Shift + ↑ ↓'],
  ['all', 'Ctrl + A'],
  ['rename', 'F2'],
  ['remove', 'Delete'],
  ['up', 'Backspace · Alt + ↑'],
  ['menu', 'Shift + F10'],
  ['clear', 'Esc'],
  ['search', 'Ctrl + K'],
  ['path', 'Ctrl + L'],
  ['files', 'Alt + ← →'],
] as const;

/** KeysDialog lists what can be done by keys. */
export default function KeysDialog({ onClose }: { onClose: () => void }) {
  const t = useT();
  return (
    <Dialog
      title={t('explorer.keys.title')}
      onClose={onClose}
      footer={
        <Button data-autofocus="" onClick={onClose}>
          {t('common.close')}
        </Button>
      }
    >
      <dl className={styles.keys}>
        {keys.map(([name, key]) => (
          <div key={name}>
            <dt>{t(`explorer.keys.${name}`)}</dt>
            <dd>
              <kbd>{key}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
