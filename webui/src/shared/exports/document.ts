// What a saved or printed page looks like; it stands without the app's own style sheets.
const style = `
:root { color-scheme: light dark; }
body { max-width: 760px; margin: 2rem auto; padding: 0 1rem; font: 16px/1.65 system-ui, sans-serif; overflow-wrap: break-word; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; }
pre { padding: 0.75rem 1rem; border: 1px solid #8884; border-radius: 6px; overflow: auto; white-space: pre-wrap; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
blockquote { margin-inline: 0; padding-inline-start: 1rem; border-inline-start: 3px solid #8886; }
table { border-collapse: collapse; }
th, td { padding: 0.3rem 0.6rem; border: 1px solid #8886; }
img { max-width: 100%; height: auto; }
@media print {
  :root { color-scheme: light; }
  body { max-width: none; margin: 0; padding: 0; font-size: 11pt; }
  pre, blockquote, table, img { break-inside: avoid; }
  h1, h2, h3 { break-after: avoid; }
}`;

const escaped = (text: string) =>
  text.replace(
    /[&<>"]/g,
    (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[mark] ?? mark,
  );

/**
 * documentOf is a whole HTML page around sanitised content. A saved one forbids itself scripts and foreign
 * files; one that is shown in a frame has the page's own policy and needs its nonce.
 */
export function documentOf(title: string, content: HTMLElement, nonce = ''): string {
  const policy = nonce
    ? ''
    : `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data: https: http:; media-src https: http:; style-src 'unsafe-inline'">\n`;
  return `<!doctype html>
<html lang="${escaped(document.documentElement.lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${policy}<title>${escaped(title)}</title>
<style${nonce ? ` nonce="${escaped(nonce)}"` : ''}>${style}</style>
</head>
<body>
${content.outerHTML}
</body>
</html>
`;
}
