/** A link to a shared file. */
export interface FileLink {
  name: string;
  url: string;
}

export type LinkFormat = 'plain' | 'markdown' | 'html' | 'bbcode';

export const linkFormats: readonly LinkFormat[] = ['plain', 'markdown', 'html', 'bbcode'];

/** formatLinks writes links one per line; names are escaped for the format. */
export function formatLinks(links: readonly FileLink[], format: LinkFormat): string {
  return links.map((link) => write[format](link)).join('\n');
}

const write: Record<LinkFormat, (link: FileLink) => string> = {
  plain: ({ url }) => url,
  markdown: ({ name, url }) => `[${name.replace(/[\\[\]*_`<>]/g, '\\$&')}](${url})`,
  html: ({ name, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(name)}</a>`,
  bbcode: ({ name, url }) => `[url=${url}]${name.replace(/[[\]]/g, '')}[/url]`,
};

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
}
