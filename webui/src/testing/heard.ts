type Heard = [string, EventListenerOrEventListenerObject, (boolean | AddEventListenerOptions)?];

/**
 * noteHeard notes what our own modules listen for on the window and on the document from now on; what it returns ends
 * all of that. What packages listen for stays, since they are loaded once.
 */
export function noteHeard(): () => void {
  const ends: (() => void)[] = [];
  for (const place of [window, document]) {
    const { addEventListener } = place;
    place.addEventListener = (...heard: Heard) => {
      const caller = new Error().stack?.split('\n')[2] ?? '';
      if (!caller.includes('/node_modules/')) ends.push(() => place.removeEventListener(...heard));
      addEventListener.apply(place, heard);
    };
    ends.push(() => (place.addEventListener = addEventListener));
  }
  return () => {
    for (const end of ends) end();
  };
}
