import { lazy, Suspense, type ComponentProps } from 'react';
import { loadAreas } from '../../i18n';

const Loaded = lazy(async () => (await Promise.all([import('./QrDialog'), loadAreas('qr')]))[0]);

/** LazyQrDialog loads the QR code's code when someone asks for one. */
export function LazyQrDialog(props: ComponentProps<typeof Loaded>) {
  return (
    <Suspense fallback={null}>
      <Loaded {...props} />
    </Suspense>
  );
}
