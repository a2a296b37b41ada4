import type { z } from 'zod';
import { hasInvisibleCharacters } from '../../../platform/text/visible-text.ts';
import { sourceOf } from './schema.ts';
import type { AnyUpstreamContent, ContentFamily } from './schema.ts';

const MAX_SOURCE_BYTES = 2_000;

/** Whether the name or URI of something at an upstream is short enough to be stored. */
export const hasStorableSource = (found: AnyUpstreamContent): boolean =>
  Buffer.byteLength(sourceOf(found)) <= MAX_SOURCE_BYTES;

/** Returns why a description of an upstream is not supported; null if it is. */
export function descriptionProblem(
  family: ContentFamily,
  found: AnyUpstreamContent,
  schema: z.ZodType,
): string | null {
  const because = (reason: string) => `The upstream’s ${family} is not supported: ${reason}.`;
  if (!hasStorableSource(found) || hasInvisibleCharacters(sourceOf(found)))
    return because(
      `its ${family === 'prompt' ? 'name' : 'URI'} must have at most ${MAX_SOURCE_BYTES} bytes, ` +
        'all of them visible characters',
    );
  const [issue] = schema.safeParse(found).error?.issues ?? [];
  return issue === undefined ? null : because(`its ${issue.path.join('/')} ${issue.message}`);
}
