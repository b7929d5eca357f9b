import { lazy, type ComponentType } from 'react';
import { loadAreas } from '../i18n';

/** lazyPart loads a part of a page with the words it needs when it is first shown. */
export function lazyPart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  ...areas: string[]
) {
  return lazy(async () => (await Promise.all([load(), loadAreas(...areas)]))[0]);
}
