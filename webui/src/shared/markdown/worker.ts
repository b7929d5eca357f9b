// Parses what follows the front of a big document away from the page, which has drawn the front. Answers one message
// per group of HTML, then null.
import { makeDialect } from './dialect';
import { frontOf, restOf } from './parse';

self.addEventListener('message', ({ data: text }: MessageEvent<string>) => {
  for (const group of restOf(text, frontOf(text, makeDialect), makeDialect)) self.postMessage(group);
  self.postMessage(null);
});
