import { lazy, type ComponentType } from 'react';
import { loadAreas } from '../i18n';
import type { PanelPage } from './pages';

/** lazyPage loads a page of the panel with the message areas it needs; after a failure it is asked for anew. */
export function lazyPage({ load, areas = [] }: PanelPage): ComponentType {
  const both = async () => {
    try {
      return (await Promise.all([load(), loadAreas(...areas)]))[0];
    } catch (error) {
      View = lazy(both);
      throw error;
    }
  };
  let View = lazy(both);
  return function Page() {
    return <View />;
  };
}
