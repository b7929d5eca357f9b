import { expect, it } from 'vitest';
import { dialectOf } from './dialects';

it.each(['Ships keep the log, 5 K, café', '# Kelvin\n\n- [ ] ropes'])(
  'nothing is fetched for what is plain Markdown: %s',
  async (text) => {
    expect(await dialectOf(text)).toBeUndefined();
  },
);

it.each(['港口', '“quoted”', '[ToC]', 'a[^1]', '==mark==', '$x$', '\\(x\\)'])(
  '%s needs more',
  async (text) => {
    expect(await dialectOf(text)).toBeDefined();
  },
);
