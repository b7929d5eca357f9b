// Parses big documents away from the page. Answers one message per group of
// HTML, then null.
import { makeDialect } from './dialect';
import { markdownGroups } from './parse';

self.addEventListener('message', (event: MessageEvent<string>) => {
  for (const group of markdownGroups(event.data, makeDialect())) self.postMessage(group);
  self.postMessage(null);
});
