import { useEffect, useState } from 'react';
import { useT, type Translate } from '../../i18n';
import { ProblemList, type ListedProblem } from './ProblemList';

export interface SummaryProps {
  /** form is what the problems are looked for in. */
  form: Element;
  /** asked counts the times the form was to be sent; each brings a new summary, which takes the focus. */
  asked: number;
  /** find looks for what is marked as wrong. */
  find: (form: Element) => Iterable<HTMLElement>;
}

/** ErrorSummary counts what is wrong in a form and leads to each field. What is mended leaves it. */
export default function ErrorSummary({ form, find }: SummaryProps) {
  const t = useT();
  const [problems, setProblems] = useState(() => problemsIn(find(form), t));

  useEffect(() => {
    const watch = new MutationObserver(() => setProblems(problemsIn(find(form), t)));
    const attributeFilter = ['aria-invalid', 'data-wrong'];
    watch.observe(form, { subtree: true, childList: true, characterData: true, attributeFilter });
    return () => watch.disconnect();
  }, [form, find, t]);

  if (problems.length === 0) return null;
  return <ProblemList ref={takeFocus} problems={problems} />;
}

const takeFocus = (list: HTMLElement | null) => list?.focus();

function problemsIn(marked: Iterable<HTMLElement>, t: Translate): ListedProblem[] {
  return [...marked].map((wrong) => {
    const label = labelOf(wrong);
    const reason = reasonOf(wrong);
    return {
      text: label && reason ? t('errors.named', { label, reason }) : label || reason,
      go: () => wrong.focus(),
      to: wrong.id,
    };
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
