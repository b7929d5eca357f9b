import { expect, it } from 'vitest';
import { sourceHeadings } from './sourceHeadings';

it('finds headings, but none in code, and reads them without marks', () => {
  const text =
    '# One\ntext # no\n```\n# not this\n```\n## **Two** [link](https://a.example) ##\n#no\n####### no\n### \n';
  expect(sourceHeadings(text)).toEqual([
    { text: 'One', depth: 1, position: 0 },
    { text: 'Two link', depth: 2, position: text.indexOf('## **') },
    { text: '', depth: 3, position: text.indexOf('### \n') },
  ]);
});
