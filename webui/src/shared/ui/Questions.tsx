import { lazy, Suspense } from 'react';
import { useStore } from '../../store';
import { questions } from './questions';

const QuestionDialog = lazy(() => import('./QuestionDialog'));

/** Questions shows the dialogs that confirm and askText open, one at a time; the shell renders it once. */
export function Questions() {
  const [first] = useStore(questions);
  if (!first) return null;
  return (
    <Suspense fallback={null}>
      <QuestionDialog key={first.id} question={first} />
    </Suspense>
  );
}
