import { readFileSync } from 'node:fs';

/** Returns a page that serves a script of the gateway, read once. */
export function scriptPage(path: string, file: URL) {
  const body = readFileSync(file, 'utf8');
  return {
    path,
    content_type: 'text/javascript; charset=utf-8',
    handle: () => ({ status: 200, body }),
  };
}
