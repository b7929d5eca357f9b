import { HighlightStyle, StreamLanguage, syntaxHighlighting, type StreamParser } from '@codemirror/language';
import { tags } from '@lezer/highlight';

const keywords = new Set(
  'as contains default else every false if import in not null package some true with'.split(' '),
);
const literals = new Set(['false', 'null', 'true']);

/** Where a line begins: `raw` while a text between backticks goes over its end. */
interface State {
  raw: boolean;
}

const parser: StreamParser<State> = {
  name: 'rego',
  startState: () => ({ raw: false }),
  token(stream, state) {
    if (state.raw) {
      state.raw = !/^[^`]*`/.test(stream.string.slice(stream.pos));
      if (state.raw) stream.skipToEnd();
      else stream.match(/^[^`]*`/);
      return 'string';
    }
    if (stream.eatSpace()) return null;
    if (stream.match('#')) {
      stream.skipToEnd();
      return 'comment';
    }
    if (stream.match('`')) {
      state.raw = true;
      return 'string';
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string';
    if (stream.match(/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) return 'number';
    if (stream.match(/^[A-Za-z_]\w*/)) {
      const word = stream.current();
      const field = stream.string[stream.start - 1] === '.';
      if (!field && literals.has(word)) return 'atom';
      if (!field && keywords.has(word)) return 'keyword';
      if (!field && (word === 'input' || word === 'data')) return 'variableName.special';
      return stream.string.slice(stream.pos).startsWith('(') ? 'variableName.function' : 'variableName';
    }
    if (stream.match(/^(?::=|==|!=|<=|>=|[-+*/%<>=|&])/)) return 'operator';
    stream.next();
    return null;
  },
  languageData: {
    commentTokens: { line: '#' },
    closeBrackets: { brackets: ['(', '[', '{', '"', '`'] },
  },
};

/** rego is the language as the editor needs it: colours, comments and brackets. */
export const rego = [
  StreamLanguage.define(parser),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
      { tag: [tags.string], color: 'var(--ok)' },
      { tag: [tags.number, tags.atom], color: 'var(--warn)' },
      { tag: tags.comment, color: 'var(--muted)' },
      { tag: tags.special(tags.variableName), color: 'var(--accent)' },
      { tag: tags.function(tags.variableName), fontWeight: '600' },
    ]),
  ),
];
