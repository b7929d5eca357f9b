import { useId, useState, type ComponentProps, type KeyboardEvent, type Ref } from 'react';
import { useT } from '../../i18n';
import { inputClass } from '../../shared/ui';
import styles from './rulesText.module.css';
import { completionAt, type Completion } from './completion';

interface RulesTextProps extends Omit<ComponentProps<'textarea'>, 'onChange' | 'value' | 'ref'> {
  value: string;
  onText: (text: string) => void;
  ref: Ref<HTMLTextAreaElement>;
}

/** RulesText is a text of Rego. After "input." it offers the fields that the input has there. */
export function RulesText({ value, onText, readOnly = false, className = '', ...control }: RulesTextProps) {
  const t = useT();
  const id = useId();
  const [offer, setOffer] = useState<Completion>();
  const [marked, setMarked] = useState(0);
  const nameOf = (at: number) => `${id}-${at}`;

  /** isThere says that the caret is still where the offer was made: keys, a mouse or an undo may have moved it. */
  const isThere = ({ selectionStart, selectionEnd }: HTMLTextAreaElement) =>
    selectionStart === offer?.to && selectionEnd === offer.to;

  const look = (area: HTMLTextAreaElement) => {
    setOffer(
      area.selectionStart === area.selectionEnd ? completionAt(area.value, area.selectionStart) : undefined,
    );
    setMarked(0);
  };

  /** take writes a name as if it was typed, so that it can be undone. */
  function take(area: HTMLTextAreaElement, at: number) {
    const name = offer?.found[at]?.name;
    if (!offer || name === undefined) return;
    area.setSelectionRange(offer.from, offer.to);
    if (!document.execCommand('insertText', false, name)) {
      area.setRangeText(name, offer.from, offer.to, 'end');
      onText(area.value);
    }
    setOffer(undefined);
  }

  function press(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (!offer || event.nativeEvent.isComposing || !isThere(event.currentTarget)) return;
    const { length } = offer.found;
    if (event.key === 'ArrowDown') setMarked((marked + 1) % length);
    else if (event.key === 'ArrowUp') setMarked((marked + length - 1) % length);
    else if (event.key === 'Enter') take(event.currentTarget, marked);
    else if (event.key === 'Escape') setOffer(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div className={styles.place}>
      <textarea
        {...control}
        className={`${inputClass} ${className}`}
        spellCheck={false}
        autoCapitalize="none"
        readOnly={readOnly}
        value={value}
        aria-autocomplete="list"
        aria-controls={offer && id}
        aria-activedescendant={offer && nameOf(marked)}
        onChange={(event) => {
          onText(event.target.value);
          look(event.target);
        }}
        onKeyDown={press}
        onSelect={(event) => {
          if (offer && !isThere(event.currentTarget)) setOffer(undefined);
        }}
        onClick={() => setOffer(undefined)}
        onBlur={() => setOffer(undefined)}
      />
      {offer && (
        <ul id={id} role="listbox" aria-label={t('ops.policies.completions')} className={styles.list}>
          {offer.found.map(({ name, type, description }, at) => (
            <li
              key={name}
              id={nameOf(at)}
              role="option"
              aria-selected={at === marked}
              title={description}
              onMouseDown={(event) => {
                event.preventDefault();
                const area = event.currentTarget.parentElement?.previousElementSibling;
                if (area instanceof HTMLTextAreaElement) take(area, at);
              }}
            >
              <code>{name}</code> <small>{type}</small>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
