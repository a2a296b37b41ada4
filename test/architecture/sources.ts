import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** One import as it stands in a file. */
export interface Import {
  from: string;
  /** `src/…` of a file of ours, or the package's name. */
  to: string;
  isOurs: boolean;
  isTypeOnly: boolean;
}

export type Sources = ReadonlyMap<string, string>;

const IMPORT =
  /^\s*(?:import|export)\s+(type\s)?(?:[\s\S]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;

/** Every TypeScript and module file below `src/`, by its path from the root. */
export function readSources(root: string): Sources {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const paths = files.filter((file) => /\.(?:ts|tsx|mjs)$/.test(file)).toSorted();
  return new Map(
    paths.map((path) => [`src/${path}`, readFileSync(join(root, 'src', path), 'utf8')]),
  );
}

/** Static, type, re-exporting and dynamic imports alike; `new URL('./x.ts', …)` is none. */
export function importsOf(path: string, text: string): Import[] {
  return [...withoutComments(text).matchAll(IMPORT)].map(([, type, name, dynamic]) => {
    const target = (name ?? dynamic)!;
    const isOurs = target.startsWith('.');
    return {
      from: path,
      to: isOurs ? normalize(join(dirname(path), target)) : packageOf(target),
      isOurs,
      isTypeOnly: type !== undefined,
    };
  });
}

/** `@scope/name` or `name`, without the path inside it; `node:` modules stay whole. */
const packageOf = (target: string) =>
  target.startsWith('node:')
    ? target
    : target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/');

const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
