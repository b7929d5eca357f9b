import { createElement, lazy, useState, type ComponentType, type ReactNode } from 'react';
import { loadAreas } from '../i18n';

/**
 * lazyPart loads a part of a page with the words it needs when it is first shown, or before that by `prepare`, which
 * never rejects. A part that is there is drawn at once: React would show the placeholder for another 300 ms.
 */
export function lazyPart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  ...areas: string[]
) {
  let part: ComponentType<P> | undefined;
  const both = async () => {
    const [module] = await Promise.all([load(), loadAreas(...areas)]);
    part = module.default;
    return module;
  };
  const Lazy = lazy(both);
  function Part(props: P): ReactNode {
    const [Shown] = useState<ComponentType<P>>(() => part ?? Lazy);
    return createElement(Shown, props);
  }
  return Object.assign(Part, {
    // What cannot be fetched early is asked for again when it is needed.
    prepare: () =>
      both().then(
        () => undefined,
        () => undefined,
      ),
  });
}
