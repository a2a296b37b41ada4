import type { z } from 'zod';
import type { AllAnnotations, HttpContent, HttpTemplate } from './schema.ts';

/** The parts of an HTTP tool that determine its annotations. */
interface Annotated extends Pick<HttpContent, 'annotations'> {
  http: Pick<HttpTemplate, 'method'>;
}

/** Returns the author's annotations, with defaults that follow from the HTTP method (RFC 9110). */
export function httpAnnotationsOf({
  http: { method },
  annotations,
}: Annotated): z.infer<typeof AllAnnotations> {
  const isRead = method === 'GET';
  return {
    readOnlyHint: annotations.readOnlyHint ?? isRead,
    destructiveHint: annotations.destructiveHint ?? !isRead,
    idempotentHint:
      annotations.idempotentHint ?? (isRead || method === 'PUT' || method === 'DELETE'),
    openWorldHint: annotations.openWorldHint ?? true,
  };
}
