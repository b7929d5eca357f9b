import type { EditorView } from '@codemirror/view';
import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useT } from '../../../i18n';
import { Button, IconButton, inputClass } from '../../../shared/ui';
import styles from './edit.module.css';
import { findNext, replaceAll, replaceNext } from './find';

/** FindBar finds and replaces in the text of an editor. */
export function FindBar({ view, onClose }: { view: EditorView; onClose: () => void }) {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(() => {
    const { from, to } = view.state.selection.main;
    return to - from < 200 ? view.state.sliceDoc(from, to).replace(/[\r\n][^]*/, '') : '';
  });
  const [by, setBy] = useState('');
  const [exact, setExact] = useState(false);
  const [told, setTold] = useState('');
  const finding = { text, exact };

  useEffect(() => field.current?.select(), []);

  const tell = ([index, count]: [number, number]) =>
    setTold(count === 0 ? t('explorerEdit.find.none') : t('explorerEdit.find.at', { index, count }));
  const next = (back: boolean) => tell(findNext(view, finding, back));

  function close() {
    onClose();
    view.focus();
  }

  function keys(event: KeyboardEvent) {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && event.target === field.current) next(event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div role="search" className={styles.find} onKeyDown={keys}>
      <input
        ref={field}
        className={inputClass}
        aria-label={t('explorerEdit.find.text')}
        placeholder={t('explorerEdit.find.text')}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <IconButton label={t('explorerEdit.find.previous')} onClick={() => next(true)}>
        <ArrowUp size={20} />
      </IconButton>
      <IconButton label={t('explorerEdit.find.next')} onClick={() => next(false)}>
        <ArrowDown size={20} />
      </IconButton>
      <label className={styles.exact}>
        <input type="checkbox" checked={exact} onChange={(event) => setExact(event.target.checked)} />
        {t('explorerEdit.find.exact')}
      </label>
      <input
        className={inputClass}
        aria-label={t('explorerEdit.find.by')}
        placeholder={t('explorerEdit.find.by')}
        value={by}
        onChange={(event) => setBy(event.target.value)}
      />
      <Button onClick={() => tell(replaceNext(view, finding, by))}>{t('explorerEdit.find.replace')}</Button>
      <Button onClick={() => setTold(t('explorerEdit.find.replaced', replaceAll(view, finding, by)))}>
        {t('explorerEdit.find.replaceAll')}
      </Button>
      <span role="status" className={styles.hint}>
        {told}
      </span>
      <IconButton label={t('common.close')} onClick={close}>
        <X size={20} />
      </IconButton>
    </div>
  );
}
