import type { ToolAnnotations } from '../../catalog/tool.ts';
import type { HttpContent } from './schema.ts';

/** Returns the author's annotations, with defaults that follow from the HTTP method (RFC 9110). */
export function httpAnnotationsOf({ http: { method }, annotations }: HttpContent): ToolAnnotations {
  const isRead = method === 'GET';
  return {
    readOnlyHint: annotations.readOnlyHint ?? isRead,
    destructiveHint: annotations.destructiveHint ?? !isRead,
    idempotentHint:
      annotations.idempotentHint ?? (isRead || method === 'PUT' || method === 'DELETE'),
    openWorldHint: annotations.openWorldHint ?? true,
  };
}
