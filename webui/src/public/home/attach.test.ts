import { expect, it } from 'vitest';
import { markdownFor } from './attach';

it.each([
  ['a [1].pdf', 'application/pdf', '[a \\[1\\].pdf](http://localhost:3000/file/x1)'],
  ['pier.png', 'image/png', '![pier.png](http://localhost:3000/api/file-view/x1#pier.png)'],
  [
    '港 口.mp4',
    'video/mp4',
    '![港 口.mp4](http://localhost:3000/api/file-view/x1#%E6%B8%AF%20%E5%8F%A3.mp4)',
  ],
])('writes %s so that the reader sees or finds it', (name, type, want) => {
  expect(markdownFor({ name, type }, 'x1')).toBe(want);
});
