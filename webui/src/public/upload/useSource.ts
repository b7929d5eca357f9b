import { useState } from 'react';
import { useListener } from '../../hooks/useListener';

export type Source = 'files' | 'url';

const fromAddress = (): Source => (location.hash === '#url' ? 'url' : 'files');

/** useSource is the tab that is open. It stands in the address, so that a link can open either. */
export function useSource(): [Source, (source: Source) => void] {
  const [source, setSource] = useState(fromAddress);
  useListener('hashchange', () => setSource(fromAddress()));
  const choose = (next: Source) => {
    history.replaceState(history.state, '', next === 'url' ? '#url' : location.pathname + location.search);
    setSource(next);
  };
  return [source, choose];
}
