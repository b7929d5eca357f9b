import { useEffect, useRef, useState, type ComponentType, type ReactNode } from 'react';
import type { SummaryProps } from './ErrorSummary';

/** wrongIn finds what is marked as wrong: fields, and controls whose `data-wrong` says why. */
const wrongIn = (form: Element) => form.querySelectorAll<HTMLElement>('[aria-invalid=true],[data-wrong]');

/**
 * FormProblems leads to what is wrong each time `asked` grows: into the only field, or to a summary, which then stands
 * here. The form is the nearest [data-form] or form element around it.
 */
export function FormProblems({ asked }: { asked: number }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const [summary, setSummary] = useState<SummaryProps & { Summary: ComponentType<SummaryProps> }>();
  useEffect(() => {
    const form = place.current?.closest('[data-form],form');
    if (!asked || !form) return;
    const [first, second] = wrongIn(form);
    const enter = () => first?.focus();
    if (second)
      import('./ErrorSummary').then(
        ({ default: Summary }) => setSummary({ Summary, form, asked, find: wrongIn }),
        enter,
      );
    else enter();
  }, [asked]);
  return <div ref={place}>{summary && <summary.Summary {...summary} key={summary.asked} />}</div>;
}

export default FormProblems;
