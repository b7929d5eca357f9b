import { describe, expect, it } from 'vitest';
import { hasHeadings } from './headings';

describe('hasHeadings', () => {
  it.each([
    ['three of both kinds', '# One\n\ntext\n\n## Two\n\nThree\n=====\n', true],
    ['two', '# One\n\n## Two\n', false],
    ['comments in code', '# One\n\n```sh\n# not one\n# nor this\n```\n\n## Two\n', false],
    ['after code of another fence', '~~~\n```\n# no\n~~~\n# One\n# Two\n# Three', true],
    ['marks without a text', '#\n#\n#\n#one\n#two\n#three', false],
    ['nothing', '', false],
  ])('%s', (_, text, expected) => {
    expect(hasHeadings(text, 3)).toBe(expected);
  });
});
