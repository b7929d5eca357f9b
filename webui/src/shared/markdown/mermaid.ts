import mermaid from 'mermaid';
import { cspNonce } from '../../config';
import { resolvedTheme } from '../../theme/mode';
import { sans } from '../../theme/tokens';

/** A drawn diagram: the address of its picture, and its size in CSS pixels. */
export interface Drawn {
  src: string;
  width: number;
  height: number;
}

let last: Promise<unknown> = Promise.resolve();
let count = 0;
const idPrefix = 'pp-diagram-';

/** drawDiagram draws Mermaid's language in the colours of a theme. Rejects with what is wrong with the source. */
export function drawDiagram(source: string, theme: 'light' | 'dark' = resolvedTheme()): Promise<Drawn> {
  // Mermaid has one configuration for all, so the diagrams are drawn one after the other.
  const drawn = last.then(() => draw(source, theme));
  last = drawn.catch(() => undefined);
  return drawn;
}

async function draw(source: string, theme: 'light' | 'dark'): Promise<Drawn> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: theme === 'dark' ? 'dark' : 'neutral',
    darkMode: theme === 'dark',
    fontFamily: sans,
    // A picture shows no HTML, and a text may not choose how it is made.
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'maxTextSize',
      'maxEdges',
      'suppressErrorRendering',
      'htmlLabels',
      'flowchart',
      'fontFamily',
    ],
  });
  const { svg } = await withStyles(() => mermaid.render(`${idPrefix}${++count}`, source));
  return pictureOf(svg);
}

/**
 * Mermaid measures its texts in the page, under a style element of its own, and cleans its drawing in a document of
 * its own. The page's policy refuses both without its nonce: the boxes would have the wrong size.
 */
async function withStyles<T>(work: () => Promise<T>): Promise<T> {
  const nonce = cspNonce();
  const create = document.createElement.bind(document);
  document.createElement = ((name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (name === 'style') element.setAttribute('nonce', nonce);
    return element;
  }) as typeof document.createElement;
  const parser = DOMParser.prototype;
  const parse = parser.parseFromString;
  parser.parseFromString = function (text, type) {
    // The sanitiser wraps its text where the browser knows trusted types.
    const written = String(text);
    const own = written.includes(`id="${idPrefix}`);
    return parse.call(this, own ? written.replace(styleTag, `<style nonce="${nonce}">`) : text, type);
  };
  try {
    return await work();
  } finally {
    Reflect.deleteProperty(document, 'createElement');
    parser.parseFromString = parse;
  }
}

const styleTag = /<style(?: nonce="[^"]*")?>/g;

/** pictureOf makes the drawing the address of a picture, in which no script runs and nothing is fetched. */
function pictureOf(svg: string): Drawn {
  const [, width = 0, height = 0] = /viewBox="[^" ]+ [^" ]+ ([\d.]+) ([\d.]+)"/.exec(svg)?.map(Number) ?? [];
  const size = { width: Math.ceil(width) || 300, height: Math.ceil(height) || 150 };
  const sized = svg
    .replace(styleTag, '<style>')
    .replace(/^<svg[^>]*>/, (tag) =>
      tag
        .replace(/ (?:width|height)="[^"]*"/g, '')
        .replace('<svg', `<svg width="${size.width}" height="${size.height}"`),
    );
  return { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(sized)}`, ...size };
}
