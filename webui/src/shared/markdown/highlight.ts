import './highlight.css';
import type { HLJSApi, LanguageFn } from 'highlight.js';

type Grammar = () => Promise<{ default: LanguageFn }>;

// Each grammar is a file of its own, fetched when a block asks for it.
const grammars: Record<string, Grammar> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  clojure: () => import('highlight.js/lib/languages/clojure'),
  cmake: () => import('highlight.js/lib/languages/cmake'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  dart: () => import('highlight.js/lib/languages/dart'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  elixir: () => import('highlight.js/lib/languages/elixir'),
  erlang: () => import('highlight.js/lib/languages/erlang'),
  go: () => import('highlight.js/lib/languages/go'),
  graphql: () => import('highlight.js/lib/languages/graphql'),
  groovy: () => import('highlight.js/lib/languages/groovy'),
  haskell: () => import('highlight.js/lib/languages/haskell'),
  http: () => import('highlight.js/lib/languages/http'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  julia: () => import('highlight.js/lib/languages/julia'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  latex: () => import('highlight.js/lib/languages/latex'),
  less: () => import('highlight.js/lib/languages/less'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  matlab: () => import('highlight.js/lib/languages/matlab'),
  nginx: () => import('highlight.js/lib/languages/nginx'),
  nix: () => import('highlight.js/lib/languages/nix'),
  objectivec: () => import('highlight.js/lib/languages/objectivec'),
  perl: () => import('highlight.js/lib/languages/perl'),
  php: () => import('highlight.js/lib/languages/php'),
  powershell: () => import('highlight.js/lib/languages/powershell'),
  properties: () => import('highlight.js/lib/languages/properties'),
  protobuf: () => import('highlight.js/lib/languages/protobuf'),
  python: () => import('highlight.js/lib/languages/python'),
  r: () => import('highlight.js/lib/languages/r'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scala: () => import('highlight.js/lib/languages/scala'),
  scss: () => import('highlight.js/lib/languages/scss'),
  shell: () => import('highlight.js/lib/languages/shell'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  vbnet: () => import('highlight.js/lib/languages/vbnet'),
  vim: () => import('highlight.js/lib/languages/vim'),
  wasm: () => import('highlight.js/lib/languages/wasm'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

// Words people write after the fence, and file extensions.
const aliases: Record<string, string> = {
  ...{
    sh: 'bash',
    zsh: 'bash',
    console: 'shell',
    shellsession: 'shell',
    ps1: 'powershell',
    ps: 'powershell',
  },
  ...{ h: 'c', cc: 'cpp', cxx: 'cpp', hpp: 'cpp', hh: 'cpp', 'c++': 'cpp', cs: 'csharp', 'c#': 'csharp' },
  ...{ clj: 'clojure', docker: 'dockerfile', ex: 'elixir', exs: 'elixir', erl: 'erlang', golang: 'go' },
  ...{ gql: 'graphql', gradle: 'groovy', hs: 'haskell', toml: 'ini', conf: 'ini', cfg: 'ini' },
  ...{ js: 'javascript', jsx: 'javascript', mjs: 'javascript', cjs: 'javascript', node: 'javascript' },
  ...{ ts: 'typescript', tsx: 'typescript', mts: 'typescript', cts: 'typescript' },
  ...{ json5: 'json', jsonc: 'json', ndjson: 'json', jl: 'julia', kt: 'kotlin', kts: 'kotlin', tex: 'latex' },
  ...{
    mk: 'makefile',
    make: 'makefile',
    md: 'markdown',
    mkd: 'markdown',
    mdown: 'markdown',
    m: 'objectivec',
  },
  ...{
    objc: 'objectivec',
    pl: 'perl',
    proto: 'protobuf',
    py: 'python',
    py3: 'python',
    rb: 'ruby',
    rs: 'rust',
  },
  ...{
    sass: 'scss',
    psql: 'sql',
    mysql: 'sql',
    pgsql: 'sql',
    vb: 'vbnet',
    wat: 'wasm',
    yml: 'yaml',
    patch: 'diff',
  },
  ...{
    html: 'xml',
    xhtml: 'xml',
    svg: 'xml',
    htm: 'xml',
    rss: 'xml',
    vue: 'xml',
    svelte: 'xml',
    plist: 'xml',
  },
};

// Grammars that hand parts of their text to others.
const embedded: Record<string, string[]> = { xml: ['javascript', 'css'], markdown: ['xml'], php: ['xml'] };

/** Longer texts are shown without colours, in characters. */
export const longestHighlighted = 200_000;

/** languageOf names the grammar for a fence word or a file extension. Null when there is none. */
export function languageOf(word: string): string | null {
  const lower = word.toLowerCase();
  const name = Object.hasOwn(aliases, lower) ? aliases[lower] : lower;
  return name !== undefined && Object.hasOwn(grammars, name) ? name : null;
}

/** languageNames lists what can be coloured, for a menu. */
export const languageNames = Object.keys(grammars);

let core: Promise<HLJSApi> | undefined;
const loaded = new Map<string, Promise<void>>();

async function load(language: string): Promise<HLJSApi> {
  core ??= import('highlight.js/lib/core').then((module) => module.default);
  const hljs = await core;
  await Promise.all([language, ...(embedded[language] ?? [])].map((name) => register(hljs, name)));
  return hljs;
}

function register(hljs: HLJSApi, name: string): Promise<void> {
  const ready = loaded.get(name);
  if (ready) return ready;
  const grammar = grammars[name];
  if (!grammar) return Promise.resolve();
  const loading = grammar().then((module) => hljs.registerLanguage(name, module.default));
  loaded.set(name, loading);
  loading.catch(() => loaded.delete(name));
  return loading;
}

/**
 * highlight returns code as HTML in which only `span` elements with classes
 * occur; the text itself is escaped. Null when the language is unknown, the
 * text too long or its grammar cannot be fetched.
 */
export async function highlight(code: string, language: string): Promise<string | null> {
  const name = languageOf(language);
  if (!name || code.length > longestHighlighted) return null;
  try {
    const hljs = await load(name);
    return hljs.highlight(code, { language: name, ignoreIllegals: true }).value;
  } catch {
    return null;
  }
}
