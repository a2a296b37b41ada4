import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../../src/dashboard/', import.meta.url));
const library = fileURLToPath(new URL('../../../node_modules/@mantine/core/', import.meta.url));

test('the styles of every component that the pages import are loaded', () => {
  const styles = readFileSync(`${folder}frame/library-styles.css`, 'utf8');
  const imported = new Set(
    globSync('**/*.tsx', { cwd: folder }).flatMap((file) => {
      const source = readFileSync(`${folder}${file}`, 'utf8');
      const [, names = ''] = /import \{([^}]*)\} from '@mantine\/core'/.exec(source) ?? [];
      return names.split(',').map((name) => name.trim());
    }),
  );
  expect(imported.size).toBeGreaterThan(20);
  const missing = [...imported].filter(
    (name) => existsSync(`${library}styles/${name}.css`) && !styles.includes(`/${name}.css`),
  );
  expect(missing).toEqual([]);
});
