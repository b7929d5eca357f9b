import path from 'node:path';

// The rooms under src/ from the bottom up; none imports one that stands above it. A room may import those its line
// names and itself. One that is not listed here (main.tsx, App.tsx, testing) may import everything.
const ground = ['config', 'store', 'hooks', 'pages'];
const drawn = [...ground, 'i18n', 'theme', 'ui'];
const known = [...drawn, 'api', 'auth', 'shared'];
const allowed = {
  config: [],
  store: [],
  hooks: [],
  pages: [],
  i18n: ground,
  theme: ground,
  // ui is shared/ui and the two files beside it that it draws with.
  ui: [...ground, 'i18n', 'theme'],
  // What works without a network fills api/offline at the start.
  api: [...ground, 'i18n'],
  auth: [...drawn, 'api'],
  shared: [...drawn, 'api', 'auth'],
  // The rooms at the top know nothing of each other.
  pwa: known,
  shell: known,
  admin: known,
};
const beside = ['clipboard', 'format'];

function roomOf(file, src) {
  const parts = path.relative(src, file).split(path.sep);
  if (parts[0] === '..') return undefined;
  const name = (part) => part?.replace(/\.(tsx?|json)$/, '');
  if (parts[0] === 'shared' && (parts[1] === 'ui' || beside.includes(name(parts[1])))) return 'ui';
  if (parts[0] === 'public') return `public/${parts[1]}`;
  return name(parts[0]);
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
    const list = from?.startsWith('public/') ? known : allowed[from];
    if (!list) return {};
    const check = (node) => {
      const source = node.source?.value;
      if (typeof source !== 'string' || !source.startsWith('.')) return;
      const to = roomOf(path.resolve(path.dirname(file), source), src);
      if (to && to !== from && !list.includes(to))
        context.report({ node, messageId: 'crossed', data: { from, to } });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};
