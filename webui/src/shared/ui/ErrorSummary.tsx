import { useEffect, useId, useRef, useState } from 'react';
import { useT } from '../../i18n';
import styles from './ErrorSummary.module.css';
import { wrongIn } from './FormProblems';

export interface SummaryProps {
  /** form is what the problems are looked for in. */
  form: Element;
  /** asked counts the times the form was to be sent; each brings a new summary, which takes the focus. */
  asked: number;
}

interface Problem {
  text: string;
  field: HTMLElement;
}

/** ErrorSummary counts what is wrong in a form and leads to each field. What is mended leaves it. */
export default function ErrorSummary({ form }: SummaryProps) {
  const t = useT();
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [problems, setProblems] = useState(() => problemsIn(form));

  useEffect(() => box.current?.focus(), []);
  useEffect(() => {
    const watch = new MutationObserver(() => setProblems(problemsIn(form)));
    const attributeFilter = ['aria-invalid', 'data-wrong'];
    watch.observe(form, { subtree: true, childList: true, characterData: true, attributeFilter });
    return () => watch.disconnect();
  }, [form]);

  if (problems.length === 0) return null;
  return (
    <div ref={box} className={styles.summary} role="group" aria-labelledby={id} tabIndex={-1}>
      <p id={id} className={styles.title}>
        {t('errors.several', problems.length)}
      </p>
      <ul>
        {problems.map(({ text, field }, at) => (
          <li key={at}>
            <a
              href={`#${field.id}`}
              onClick={(event) => {
                event.preventDefault();
                field.focus();
              }}
            >
              {text}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

function problemsIn(form: Element): Problem[] {
  return [...wrongIn(form)].map((wrong) => {
    const label = labelOf(wrong);
    const reason = reasonOf(wrong);
    return { text: label && reason ? `${label}: ${reason}` : label || reason, field: wrong };
  });
}

/** labelOf leaves out what follows the label itself, such as "(optional)". */
function labelOf(wrong: HTMLElement): string {
  const label =
    wrong instanceof HTMLInputElement ||
    wrong instanceof HTMLSelectElement ||
    wrong instanceof HTMLTextAreaElement
      ? wrong.labels?.[0]?.firstChild?.textContent
      : undefined;
  return label ?? wrong.getAttribute('aria-label') ?? '';
}

function reasonOf(wrong: HTMLElement): string {
  if (wrong.dataset.wrong) return wrong.dataset.wrong;
  const ids = wrong.getAttribute('aria-describedby')?.split(' ') ?? [];
  const reason = ids.find((id) => /-(error|problem)$/.test(id));
  return (reason && document.getElementById(reason)?.textContent) || '';
}
