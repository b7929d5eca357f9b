import { useEffect, useState } from 'react';

export type Source = 'files' | 'url';

const fromAddress = (): Source => (location.hash === '#url' ? 'url' : 'files');

/** useSource is the tab that is open. It stands in the address, so that a link can open either. */
export function useSource(): [Source, (source: Source) => void] {
  const [source, setSource] = useState(fromAddress);
  useEffect(() => {
    const follow = () => setSource(fromAddress());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const choose = (next: Source) => {
    history.replaceState(history.state, '', next === 'url' ? '#url' : location.pathname + location.search);
    setSource(next);
  };
  return [source, choose];
}
