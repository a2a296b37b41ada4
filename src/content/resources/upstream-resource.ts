import { hash } from 'node:crypto';
import { toNfc } from '../../platform/text/nfc.ts';
import { isResourcePath } from '../../policies/resource-path.ts';
import { descriptionProblem } from '../upstreams/content/problems.ts';
import type { UpstreamResource } from '../upstreams/content/schema.ts';
import { ResourceDescription } from './schema.ts';
import type { ResourceContent } from './schema.ts';

// Media type if the upstream does not declare one.
const UNKNOWN_TYPE = 'application/octet-stream';

/** Builds the content of a resource from an upstream's description. */
export const resourceContentOf = (
  upstream_id: string,
  { uri, title, description, mime_type, pin }: UpstreamResource,
): ResourceContent => ({
  ...{ title, description, mime_type: mime_type ?? UNKNOWN_TYPE, text: null, blob: null },
  upstream: { upstream_id, uri, pin },
});

/** Returns why an upstream's resource cannot be a resource here; null if it can. */
export const resourceProblem = (found: UpstreamResource): string | null =>
  descriptionProblem(
    'resource',
    { ...found, mime_type: found.mime_type ?? UNKNOWN_TYPE },
    ResourceDescription,
  );

/**
 * Returns the path that an upstream's resource gets here: the prefix, then what its URI has after the
 * scheme. A URI of which nothing can be a path gets a hash, so that it is the same each time.
 */
export function resourcePathOf(prefix: string, uri: string): string {
  const segments = uri
    .replace(/^[a-z][a-z0-9+.-]*:/i, '')
    .split(/[/\\]/)
    .map((segment) => decoded(segment).replaceAll(/[^\p{L}\p{N}._~@+-]+/gu, '_'))
    .filter((segment) => !/^\.*$/.test(segment));
  const path = toNfc([...(prefix === '' ? [] : [prefix]), ...segments].join('/'));
  if (segments.length > 0 && isResourcePath(path)) return path;
  const short = hash('sha256', uri, 'hex').slice(0, 8);
  return prefix === '' ? short : `${prefix}/${short}`;
}

/** Returns the segment as it is if its percent-encoding is invalid. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
