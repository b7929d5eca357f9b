// Parses big documents away from the page. Answers one message per group of
// HTML, then null.
import { makeDialect } from './dialect';
import { longDocument } from './parse';

self.addEventListener('message', (event: MessageEvent<string>) => {
  for (const group of longDocument(event.data, makeDialect)) self.postMessage(group);
  self.postMessage(null);
});
