import { expect, test } from 'vitest';
import { reachable } from './precache.mjs';

test('the worker fetches our pages, and neither the panel nor what is loaded on demand', () => {
  const chunk = (file: string, more = {}) => ({ file: `assets/${file}.js`, ...more });
  const manifest = {
    'index.html': chunk('index', {
      imports: ['_core.js'],
      dynamicImports: ['src/public/home/index.tsx', 'src/admin/index.tsx'],
    }),
    '_core.js': chunk('core', {
      css: ['assets/core.css'],
      dynamicImports: ['_signIn-1.js', '_diagrams-1.js'],
    }),
    '_signIn-1.js': chunk('signIn', { dynamicImports: ['src/pwa/leaving.ts'] }),
    '_diagrams-1.js': chunk('highlight'),
    'src/pwa/leaving.ts': chunk('leaving'),
    'src/public/home/index.tsx': chunk('home', {
      imports: ['index.html'],
      dynamicImports: [
        'src/shared/editor/MarkdownEditor.tsx',
        'node_modules/mermaid/index.js',
        'src/i18n/zh/home.ts',
      ],
    }),
    'src/shared/editor/MarkdownEditor.tsx': chunk('editor'),
    'node_modules/mermaid/index.js': chunk('mermaid'),
    'src/i18n/zh/home.ts': chunk('zh-home'),
    'src/admin/index.tsx': chunk('admin'),
  };
  expect([...reachable(manifest)].sort()).toEqual([
    'assets/core.css',
    'assets/core.js',
    'assets/home.js',
    'assets/index.js',
    'assets/leaving.js',
    'assets/signIn.js',
    'assets/zh-home.js',
  ]);
});
