import { lazy, Suspense, type ComponentProps } from 'react';

const Loaded = lazy(() => import('./QrDialog'));

/** LazyQrDialog loads the QR code's code when someone asks for one. */
export function LazyQrDialog(props: ComponentProps<typeof Loaded>) {
  return (
    <Suspense fallback={null}>
      <Loaded {...props} />
    </Suspense>
  );
}
