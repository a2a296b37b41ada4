import { z } from 'zod';
import { list, url } from './setting-shapes.ts';

/** OpenTelemetry's header syntax; values are percent-encoded ASCII. */
const HEADER = /^[\w-]+ *=(?:[^%]|%[0-7][0-9a-f])*$/i;
const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    list(text).map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );

/** Settings of traces and log records, named as in OpenTelemetry. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http:', 'https:'])
    .optional()
    .describe(
      'Base URL of the OTLP/HTTP endpoint for traces and decisions on access. Default: none is sent.',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    .refine((text) => list(text).every((pair) => HEADER.test(pair)), {
      error: 'must be name=value pairs with percent-encoded values',
    })
    .transform((text) => headersOf(text))
    .describe('Comma-separated name=value headers for that endpoint, such as a token.'),
  OTEL_LOGS_EXPORTER: z
    .enum(['otlp', 'none'])
    .default('otlp')
    .describe('Whether decisions on access are sent to that endpoint, as log records.'),
  OTEL_SERVICE_NAME: z
    .string()
    .min(1)
    .default('toolgate')
    .describe('Service name in traces and log records.'),
  OTEL_TRACES_SAMPLER: z
    .enum([
      ...(['always_on', 'always_off', 'traceidratio'] as const),
      ...(['parentbased_always_on', 'parentbased_always_off'] as const),
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on')
    .describe('Which requests are traced; parentbased follows the client’s own decision.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Fraction of requests traced by traceidratio.'),
};
