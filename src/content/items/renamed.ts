import type { Draft } from './kind.ts';
import { isSame } from './records.ts';
import { fieldIsFixed } from './refusals.ts';

/**
 * Renames an item of an upstream; other fields may be sent back unchanged. Throws 422 with the
 * message if one differs.
 */
export function renamed<Content extends object>(
  stored: Draft<Content>,
  {
    name = stored.name,
    ...sent
  }: Readonly<Record<string, unknown>> & { name?: string | undefined },
  message: string,
): Draft<Content> {
  const fields = new Map<string, unknown>(Object.entries(stored.content));
  for (const [field, value] of Object.entries(sent))
    if (value !== undefined && !isSame(value, fields.get(field)))
      throw fieldIsFixed(`/${field}`, message);
  return { ...stored, name };
}
