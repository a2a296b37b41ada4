import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const MODEL_DIRECTORY = new URL('../../authz-model/', import.meta.url);

/**
 * The hash a deployment is known by: of the files as they are read by people. A gateway compares
 * it at its start without the parser, which would cost it tens of megabytes.
 */
export async function hashModelFiles(directory: URL = MODEL_DIRECTORY): Promise<string> {
  const manifest = await readFile(new URL('fga.mod', directory), 'utf8');
  const hash = createHash('sha256').update(manifest);
  for (const [, name] of manifest.matchAll(/^\s*-\s*(\S+\.fga)\s*$/gm))
    hash.update(`\0${name}\0`).update(await readFile(new URL(name!, directory)));
  return hash.digest('hex');
}
