import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** One import of a source file. */
export interface Import {
  from: string;
  /** `src/…` or `stack/…` for our own files, otherwise the package name. */
  to: string;
  isOurs: boolean;
  isTypeOnly: boolean;
}

export type Sources = ReadonlyMap<string, string>;

const IMPORT =
  /^\s*(?:import|export)\s+(type\s)?(?:[\s\S]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;

/** Reads every TypeScript and module file below `src/` and `stack/`, by path from the root. */
export function readSources(root: string): Sources {
  const paths = ['src', 'stack']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (file) => `${folder}/${file}`,
      ),
    )
    .filter((path) => /\.(?:ts|tsx|mjs)$/.test(path))
    .toSorted();
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/**
 * Returns static, type, re-exporting and dynamic imports; `new URL('./x.ts', …)` does not count.
 */
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

/** Returns `@scope/name` or `name` without the path inside it; `node:` modules are unchanged. */
const packageOf = (target: string) =>
  target.startsWith('node:')
    ? target
    : target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/');

const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
