/// <reference types="vitest/config" />
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import pkg from './package.json' with { type: 'json' };
import { chunkGroups } from './scripts/chunks.mjs';
import { precached } from './scripts/precache.mjs';
import { tokensCss } from './src/theme/tokens.ts';

/** tokensPlugin turns src/theme/tokens.ts into CSS variables, so that style sheets and scripts share one source. */
function tokensPlugin(): Plugin {
  const name = 'virtual:tokens.css';
  return {
    name: 'pasteport-tokens',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? tokensCss() : undefined),
  };
}

/** pagesPlugin leaves out of the table of pages what only the build reads. */
function pagesPlugin(): Plugin {
  return {
    name: 'pasteport-pages',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('/src/pages.json')) return undefined;
      const drop = (key: string, value: unknown) => (/^(budget|markdown)$/.test(key) ? undefined : value);
      return JSON.stringify(JSON.parse(code), drop);
    },
  };
}

/**
 * tests are the unit tests; the heavy ones take React Admin, streams or modules of Node that a bare context lacks, or
 * put something in the place of a module that a context may have from the file before.
 */
const tests = {
  light: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'eslint-rules/*.test.mjs'],
  heavy: [
    'src/**/*.test.tsx',
    'src/admin/**/*.test.ts',
    'src/i18n/phrases.test.ts',
    'src/public/home/attach.test.ts',
    'src/public/upload/useUploadNotes.test.ts',
    'src/pwa/{copies,sync}.test.ts',
    'src/shared/exports/word.test.ts',
    'src/shared/preview/{tar,zip}.test.ts',
    'src/shared/uploader/{mount,sendToRequest,shareParts}.test.ts',
  ],
};

export default defineConfig({
  // The server puts the real base path in front of "./" when it sends the page.
  base: './',
  html: { cspNonce: '__CSP_NONCE__' },
  plugins: [
    react(),
    tokensPlugin(),
    pagesPlugin(),
    // Builds the service worker; the server makes the manifest and the page registers by itself.
    VitePWA({
      strategies: 'injectManifest',
      srcDir: 'src/pwa',
      filename: 'sw.ts',
      injectRegister: false,
      manifest: false,
      injectManifest: {
        globPatterns: ['index.html', 'icon.svg', 'assets/*.{js,css,woff2}'],
        maximumFileSizeToCacheInBytes: 16 * 1024 * 1024,
        manifestTransforms: [precached],
      },
    }),
  ],
  define: { __APP_VERSION__: JSON.stringify(pkg.version) },
  // Mermaid brings a KaTeX of its own.
  resolve: { dedupe: ['katex'] },
  build: {
    target: 'es2022',
    manifest: true,
    // The server emits the preloads; small assets stay files so that the CSP needs no data: for scripts.
    modulePreload: {
      polyfill: false,
      // The server preloads what a route needs, so the entry does not carry that list to every visitor as well.
      resolveDependencies: (_, deps, { hostId, hostType }) =>
        hostType === 'js' && /\/index-[^/]*\.js$/.test(hostId)
          ? deps.filter((dep) => !dep.endsWith('.js'))
          : // What every page has already.
            deps.filter((dep) => !/\/(index|rolldown-runtime|base|core)-[^/]*$/.test(dep)),
    },
    assetsInlineLimit: 0,
    rolldownOptions: {
      // The second is named by the server in the pages of texts.
      input: { index: 'index.html', textFirst: 'src/textFirst.ts' },
      output: {
        codeSplitting: { groups: chunkGroups },
      },
    },
  },
  server: { fs: { allow: ['..'] }, proxy: { '/api': process.env.PASTEPORT_API ?? 'http://127.0.0.1:8787' } },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/testing/setup.ts'],
    css: false,
    restoreMocks: true,
    // Only ends what never happens; a busy machine may take long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A context of its own for each file takes a tenth of the time of a process, for what works in one.
    projects: [
      {
        extends: true,
        test: { name: 'contexts', pool: 'vmForks', include: tests.light, exclude: tests.heavy },
      },
      { extends: true, test: { name: 'processes', pool: 'forks', include: tests.heavy } },
    ],
  },
});
