import { afterAll, vi } from 'vitest';
import { noteHeard } from './heard';
import { setHead } from './head';

// Files of tests share a process, its window and its packages, which takes a third of the time of a process for each.
// What is ours begins anew with every file: modules, what stood in the place of a global, and the page.
vi.resetModules();
vi.unstubAllGlobals();
vi.useRealTimers();
localStorage.clear();
sessionStorage.clear();
history.replaceState(null, '', '/');
setHead('');
document.body.replaceChildren();
for (const { name } of [...document.documentElement.attributes])
  document.documentElement.removeAttribute(name);

afterAll(noteHeard());
