import path from 'node:path';

// Who may import whom under src/. A room not listed here (main.tsx, App.tsx, testing) may import everything.
const base = ['api', 'auth', 'i18n', 'theme', 'ui', 'config', 'store'];
const allowed = {
  config: ['config'],
  store: ['store'],
  theme: ['theme', 'config', 'store'],
  i18n: ['i18n', 'config', 'store'],
  // ui is shared/ui and the files directly in shared: formatters, clipboard, error texts.
  ui: ['ui', 'api', 'i18n', 'theme', 'config', 'store'],
  // What works without a network fills api/offline at the start.
  api: base,
  auth: base,
  pwa: [...base, 'shared', 'pwa'],
  shared: [...base, 'shared'],
  shell: [...base, 'shared', 'shell'],
  admin: [...base, 'shared', 'admin'],
};

function roomOf(file, src) {
  const parts = path.relative(src, file).split(path.sep);
  if (parts[0] === '..') return undefined;
  if (parts[0] === 'shared' && (parts[1] === 'ui' || parts.length === 2)) return 'ui';
  if (parts[0] === 'public') return `public/${parts[1]}`;
  return parts[0]?.replace(/\.tsx?$/, '');
}

/** rooms refuses an import that crosses the rooms of the web app in a direction the table above does not list. */
export default {
  meta: { type: 'problem', schema: [], messages: { crossed: '{{from}} must not import {{to}}' } },
  create(context) {
    const file = context.filename;
    const at = file.lastIndexOf(`${path.sep}src${path.sep}`);
    if (at < 0 || /\.test\.tsx?$/.test(file)) return {};
    const src = file.slice(0, at + 4);
    const from = roomOf(file, src);
    const list = from?.startsWith('public/') ? [...base, 'shared', from] : allowed[from];
    if (!list) return {};
    const check = (node) => {
      const source = node.source?.value;
      if (typeof source !== 'string' || !source.startsWith('.')) return;
      const to = roomOf(path.resolve(path.dirname(file), source), src);
      if (to && !list.includes(to)) context.report({ node, messageId: 'crossed', data: { from, to } });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};
