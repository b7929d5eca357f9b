// Beginnings that hardly mean anything else.
const beginnings: [RegExp, string][] = [
  [/^#!.*\b(?:ba|z|da)?sh\b/, 'bash'],
  [/^#!.*\bpython/, 'python'],
  [/^#!.*\bnode\b/, 'javascript'],
  [/^#!.*\bruby\b/, 'ruby'],
  [/^<\?php\b/, 'php'],
  [/^\s*<(?:!doctype html|html|svg|\?xml)\b/i, 'xml'],
  [/^diff --git |^--- .+\n\+\+\+ .+\n@@ /, 'diff'],
  [/^package \w+\n/, 'go'],
];

/** Longest text that is tried as JSON, in UTF-16 units. */
const longestJson = 1_000_000;

/** detectSyntax says what a text is written in when nobody has chosen: a language only where that is plain to see. */
export function detectSyntax(text: string, markdown: boolean): string {
  if (markdown) return 'markdown';
  const found = beginnings.find(([beginning]) => beginning.test(text))?.[1];
  return found ?? (isJson(text) ? 'json' : 'text');
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text) || text.length > longestJson) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
