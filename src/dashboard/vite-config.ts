import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';
import { lookVariables, markSvg } from '../look/look.ts';

const VARIABLES = 'virtual:look.css';

/** Gives the pages the variables and the mark that the gateway's own pages have. */
const look: Plugin = {
  name: 'look',
  resolveId: (id) => (id === VARIABLES ? `\0${VARIABLES}` : null),
  load: (id) => (id === `\0${VARIABLES}` ? lookVariables() : null),
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'mark.svg', source: markSvg() });
  },
};

/** Builds the dashboard. `stack/dashboard.ts` runs it, and chooses where the files go. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [look, react()],
  logLevel: 'warn',
  resolve: {
    alias: {
      // A helper for tests in the package of the forms imports it; it compiles schemas to code, which
      // the content security policy forbids.
      '@rjsf/validator-ajv8': fileURLToPath(new URL('try/schema-validator.ts', import.meta.url)),
    },
  },
  build: {
    target: 'es2023',
    // The first ones with `light-dark()`, which the look uses.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    emptyOutDir: true,
    manifest: true,
    // One request more for a picture is cheaper than `data:` in every file.
    assetsInlineLimit: 0,
    // A test weighs what each page loads; a warning at every first start would only worry people.
    chunkSizeWarningLimit: 1_000,
    modulePreload: { polyfill: false },
    // One file for what every page needs, and one for what at least twelve pages share: sixty small
    // files compress worse and cost a request each.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'frame', tags: ['$initial'] },
            { name: 'shared', minShareCount: 12 },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
});
