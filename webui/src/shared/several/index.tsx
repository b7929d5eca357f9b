import { Suspense } from 'react';
import { lazyPart } from '../lazyPart';
import { Skeleton } from '../ui';
import type { SeveralFieldsProps } from './SeveralFields';

export * from './several';

const Fields = lazyPart(() => import('./SeveralFields'), 'several');

/** SeveralFields keeps the form around it while its fields are on their way. */
export function SeveralFields(props: SeveralFieldsProps) {
  return (
    <Suspense fallback={<Skeleton lines={2} />}>
      <Fields {...props} />
    </Suspense>
  );
}
