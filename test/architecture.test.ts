import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findFaults, MAX_LINES } from './architecture/rules.ts';
import { importsOf, readSources } from './architecture/sources.ts';

const sources = readSources(fileURLToPath(new URL('..', import.meta.url)));

test('the sources respect layers, front doors, owners and size limits', () => {
  expect(findFaults(sources)).toEqual([]);
});

test('the check finds the sources and their imports', () => {
  const imports = [...sources].flatMap(([path, text]) => importsOf(path, text));

  expect(sources.size).toBeGreaterThan(150);
  expect(imports.length).toBeGreaterThan(700);
});

const planted: [violation: string, path: string, text: string, fault: RegExp][] = [
  [
    'an import from a higher layer',
    'src/authz/x.ts',
    "import { a } from '../keys/keys.ts';",
    /not below/,
  ],
  [
    'an import from the same layer',
    'src/keys/x.ts',
    "import type { A } from '../oauth/oauth.ts';",
    /not below/,
  ],
  [
    'a dynamic import from a higher layer',
    'src/limits/x.ts',
    "await import('../mcp/mcp.ts');",
    /not below/,
  ],
  [
    'a re-export from the same layer',
    'src/mail/x.ts',
    "export { a } from '../authz/authz.ts';",
    /not below/,
  ],
  [
    'an import that bypasses the front door of a module',
    'src/mcp/x.ts',
    "import { a } from '../limits/ledger/buffer.ts';",
    /by its front door/,
  ],
  [
    'an import by the front door of a folder inside a module',
    'src/mcp/x.ts',
    "import { a } from '../content/items/items.ts';",
    /by its front door/,
  ],
  [
    'a package imported by a module that does not own it',
    'src/keys/x.ts',
    "import { sql } from 'slonik';",
    /only its owner/,
  ],
  [
    'an import from the stack',
    'src/mcp/x.ts',
    "import { a } from '../../stack/stack.ts';",
    /only its own entry/,
  ],
  [
    'an import from the 2025 protocol',
    'src/mcp/x.ts',
    "import './legacy/session.ts';",
    /only mcp\/legacy/,
  ],
  [
    'a Node module in a portable file',
    'src/keys/schema.ts',
    "import { a } from 'node:fs';",
    /portable/,
  ],
  ['i18next outside src/texts', 'src/mail/x.ts', "import { t } from 'i18next';", /only its owner/],
  ['a folder without a layer', 'src/misc/x.ts', '', /no layer/],
  ['a file name without meaning', 'src/keys/utils.ts', '', /describes the content/],
  ['a file that is too long', 'src/keys/x.ts', 'a\n'.repeat(MAX_LINES + 1), /the limit is/],
  ['a fetch outside outbound.ts', 'src/keys/x.ts', 'await fetch(url);', /outbound/],
  ['a read of the environment', 'src/keys/x.ts', 'process.env.A', /environment/],
];

test.for(planted)('a planted fault is found: %s', ([, path, text, fault]) => {
  const found = findFaults(new Map([[path, text]]));

  expect(found.join('\n')).toMatch(fault);
});

test('a planted fault is found: two writers of one table, and a cycle', () => {
  const writes = 'sql.unsafe`UPDATE api_key SET x = 1`';
  const found = findFaults(
    new Map([
      ['src/keys/store.ts', `import './x.ts';${writes}`],
      ['src/keys/x.ts', `import './store.ts';\n${writes}`],
    ]),
  );

  expect(found.join('\n')).toMatch(/api_key is written by/);
  expect(found.join('\n')).toMatch(/a cycle/);
});

test('a planted fault is found: a cycle of type imports only', () => {
  const found = findFaults(
    new Map([
      ['src/keys/x.ts', "import type { Y } from './y.ts';"],
      ['src/keys/y.ts', "import type { X } from './x.ts';"],
    ]),
  );

  expect(found).toEqual(['a cycle: src/keys/x.ts → src/keys/y.ts → src/keys/x.ts']);
});
