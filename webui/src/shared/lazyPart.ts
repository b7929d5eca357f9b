import { lazy, type ComponentType } from 'react';
import { loadAreas } from '../i18n';

/** lazyPart loads a part of a page with the words it needs when it is first shown, or before that by `prepare`. */
export function lazyPart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  ...areas: string[]
) {
  const both = async () => (await Promise.all([load(), loadAreas(...areas)]))[0];
  // What cannot be fetched early is asked for again when it is needed.
  return Object.assign(lazy(both), { prepare: () => void both().catch(() => undefined) });
}
