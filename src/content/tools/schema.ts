import { z } from 'zod';

const MOST_ENTRIES = 50;

const template = (most: number) => z.string().max(most);
const entries = z
  .record(z.string().min(1).max(200), template(8_192))
  .refine((record) => Object.keys(record).length <= MOST_ENTRIES, {
    message: `At most ${MOST_ENTRIES}.`,
  })
  .default({});

/** What of the answer becomes the result; `query` is JMESPath and asks for JSON. */
const ResponseMapping = z.object({
  format: z.enum(['auto', 'json', 'text']).default('auto'),
  query: z.string().min(1).max(1_000).nullable().default(null),
});

/**
 * The request a tool makes, with `{{argument}}` and `{{secret.NAME}}` in its texts. `body` is any
 * JSON value; the `content-type` header says whether it is written as JSON, a form or text.
 */
export const HttpTemplate = z.object({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  url: template(2_048).min(1),
  query: entries,
  headers: entries,
  body: z.unknown().default(null),
  timeout_ms: z.int().min(100).max(60_000).default(10_000),
  response: ResponseMapping.default({ format: 'auto', query: null }),
});
export type HttpTemplate = z.infer<typeof HttpTemplate>;
