import { createElement, lazy, useState, type ComponentType, type ReactNode } from 'react';
import { loadAreas } from '../i18n';

/**
 * lazyPart loads a part of a page with the words it needs when it is first shown, or before that by `prepare`, which
 * never rejects and waits for what the part itself prepares. A part that is there is drawn at once: React would show
 * the placeholder for another 300 ms.
 */
export function lazyPart<P extends object>(
  load: () => Promise<{ default: ComponentType<P>; prepare?: () => Promise<void> }>,
  ...areas: string[]
) {
  let part: ComponentType<P> | undefined;
  const both = async () => {
    const [module] = await Promise.all([load(), loadAreas(...areas)]);
    part = module.default;
    return module;
  };
  let later = lazy(both);
  function Part(props: P): ReactNode {
    const [Shown] = useState<ComponentType<P>>(() => part ?? later);
    return createElement(Shown, props);
  }
  const done = () => undefined;
  return Object.assign(Part, {
    // What cannot be fetched early is asked for again when it is needed.
    prepare: () =>
      both()
        .then((module) => module.prepare?.())
        .then(done, done),
    /** renew lets the next that is drawn fetch again what could not be fetched. */
    renew: () => void (later = lazy(both)),
  });
}
