import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const flagsOf = (line: string | undefined) => line?.match(/--[a-z-]+(?:=\d+)?/g);
const launcher = flagsOf(/^const flags = .*$/m.exec(read('stack/run.mjs'))?.[0]);

test.each([
  ['README.md', /^.* src\/main\.ts$/m],
  ['docker-compose.yml', /^ *command: \[node, .*$/m],
  ['stack/Dockerfile', /^CMD \["node", .*$/m],
  ['test/bench/bench.ts', /^const SERVED_WITH = .*$/m],
])('%s starts the gateway with the same Node flags as npm start', (path, line) => {
  expect(launcher).toContain('--expose-gc');
  expect(flagsOf(line.exec(read(path))?.[0])).toEqual(launcher);
});
