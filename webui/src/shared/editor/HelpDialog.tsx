import { useT } from '../../i18n';
import { Dialog } from '../ui';
import styles from './dialogs.module.css';
import { keyedMarks, keysText } from './marks';

// What is written, beside the message that says what comes of it.
const samples = {
  heading1: '# …',
  bold: '**…**',
  italic: '*…*',
  strike: '~~…~~',
  mark: '==…==',
  link: '[…](https://…)',
  image: '![…](https://…)',
  bullets: '- …',
  numbers: '1. …',
  tasks: '- [ ] …',
  quote: '> …',
  code: '`…`',
  codeBlock: '```js',
  table: '| … | … |',
  footnote: '[^1]   [^1]: …',
  contents: '[TOC]',
  formula: '$…$   $$…$$',
  diagram: '```mermaid',
};

/** HelpDialog shows the keys of the editor and how Markdown is written. */
export default function HelpDialog({ onClose }: { onClose: () => void }) {
  const t = useT();
  const keys = [
    ...Object.entries(keyedMarks).map(([key, { keys }]) => [`editor.${key}`, keysText(keys)] as const),
    ['editor.undo', keysText('Mod-z')] as const,
    ['editor.redo', keysText('Mod-Shift-z')] as const,
    ['editor.help.share', keysText('Mod-Enter')] as const,
    ['editor.help.save', keysText('Mod-s')] as const,
    ['editor.help.leave', t('editor.help.leaveKeys')] as const,
  ];
  return (
    <Dialog title={t('editor.help.title')} wide onClose={onClose}>
      <div className={styles.help}>
        <section>
          <h3 className={styles.group}>{t('editor.help.keys')}</h3>
          <dl>
            {keys.map(([name, value]) => (
              <div key={name}>
                <dt>{t(name)}</dt>
                <dd>
                  <kbd>{value}</kbd>
                </dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h3 className={styles.group}>{t('editor.help.writing')}</h3>
          <dl>
            {Object.entries(samples).map(([name, sample]) => (
              <div key={name}>
                <dt>{t(`editor.${name}`)}</dt>
                <dd>
                  <code>{sample}</code>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </Dialog>
  );
}
