/// <reference types="vitest/config" />
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import pkg from './package.json' with { type: 'json' };
import { tokensCss } from './src/theme/tokens.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** tokensPlugin turns src/theme/tokens.ts into CSS variables, so that style sheets and scripts share one source. */
function tokensPlugin(): Plugin {
  const name = 'virtual:tokens.css';
  return {
    name: 'pasteport-tokens',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? tokensCss() : undefined),
  };
}

/** iconsPlugin makes lucide's icons with our own small factory, see src/shared/ui/lucideIcon.ts. */
function iconsPlugin(): Plugin {
  return {
    name: 'pasteport-icons',
    enforce: 'pre',
    resolveId: (id, importer) =>
      id.endsWith('/createLucideIcon.mjs') && importer?.includes('/lucide-react/dist/esm/icons/')
        ? here('./src/shared/ui/lucideIcon.ts')
        : undefined,
  };
}

const coreModules = [
  /node_modules\/(react|react-dom|scheduler|wouter|regexparam|mitt|node-polyglot|warning)\//,
  /preload-helper/,
  /\/src\/(config|theme\/mode|theme\/tokens|i18n\/(index|store|shims\/.*)|api\/(client|errors|pastes|settings))\./,
  /\/src\/auth\/(credentials|session|permissions)\./,
  /\/src\/shared\/[a-zA-Z]+\.tsx?$/,
  /\/src\/shared\/ui\/(Button|IconButton|CopyButton|Segmented|Skeleton|lucideIcon|questions|toasts)\./,
];
// What both pages of a share need besides.
const shareModules = [
  /\/src\/shared\/gate\/(GateView|useGate|password|gate\.module)\./,
  /\/src\/shared\/(preview\/lines|markdown\/LazyMarkdownDocument|ui\/(Time|LazyQrDialog))\./,
  /\/icons\/(triangle-exclamation-point|qr-code|download|ellipsis)\.mjs/,
];
const isShare = (id: string) => shareModules.some((pattern) => pattern.test(id));
const isCore = (id: string) => coreModules.some((pattern) => pattern.test(id));

export default defineConfig({
  // The server puts the real base path in front of "./" when it sends the page.
  base: './',
  html: { cspNonce: '__CSP_NONCE__' },
  plugins: [react(), tokensPlugin(), iconsPlugin()],
  define: { __APP_VERSION__: JSON.stringify(pkg.version) },
  resolve: {
    alias: {
      // Polyfills that node-polyglot pulls in for browsers of 2012; every browser we serve has these built in.
      'object.entries': here('./src/i18n/shims/entries.cjs'),
      hasown: here('./src/i18n/shims/hasown.cjs'),
      'use-sync-external-store/shim/index.js': 'react',
    },
  },
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
          : deps,
    },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What nearly every page needs stays in one file: small files pack worse and cost a request each.
          groups: [
            { name: 'core', test: isCore },
            { name: 'share', test: isShare, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': process.env.PASTEPORT_API ?? 'http://127.0.0.1:8787' } },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
    setupFiles: ['src/testing/setup.ts'],
    css: false,
    restoreMocks: true,
  },
});
