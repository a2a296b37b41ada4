// Builds the dashboard into `dist/dashboard`, compressed ahead, and marks it with its inputs.
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import type { Plugin } from 'vite';
import { DASHBOARD_FOLDER, stampOf } from './dashboard.ts';

// Of tests, this is `test`, with which the pages would contain React's development build.
process.env['NODE_ENV'] = 'production';

const modules: string[] = [];
/** Notes which files the pages were built from, so that a stale build is found. */
const noteModules: Plugin = {
  name: 'note-modules',
  generateBundle() {
    for (const id of this.getModuleIds()) {
      const [file] = id.split('?');
      if (file?.startsWith('/') === true && !file.includes('/node_modules/')) modules.push(file);
    }
  },
};

// Renamed once complete: a gateway that serves the folder never sees half of a build.
const unfinished = `${DASHBOARD_FOLDER}-${process.pid}`;
await build({
  configFile: fileURLToPath(new URL('../src/dashboard/vite-config.ts', import.meta.url)),
  build: { outDir: unfinished },
  plugins: [noteModules],
});
for (const file of globSync('**/*.{js,css,html,svg,json}', { cwd: unfinished })) {
  const bytes = readFileSync(join(unfinished, file));
  writeFileSync(join(unfinished, `${file}.gz`), gzipSync(bytes, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  writeFileSync(join(unfinished, `${file}.br`), brotliCompressSync(bytes, { params }));
}
mkdirSync(DASHBOARD_FOLDER, { recursive: true });
rmSync(DASHBOARD_FOLDER, { recursive: true });
renameSync(unfinished, DASHBOARD_FOLDER);
const stamp = stampOf([...new Set(modules)]);
writeFileSync(`${DASHBOARD_FOLDER}.json`, JSON.stringify(stamp));
