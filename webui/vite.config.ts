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
    setupFiles: ['src/testing/fresh.ts', 'src/testing/browser.ts', 'src/testing/setup.ts'],
    css: false,
    restoreMocks: true,
    // Only ends what never happens; a busy machine may take long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts', 'eslint-rules/*.test.mjs'],
    // src/testing/fresh.ts parts the files from each other.
    isolate: false,
    sequence: { setupFiles: 'list' },
  },
});
