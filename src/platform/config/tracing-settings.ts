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

/** Tracing settings, named as in OpenTelemetry. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http:', 'https:'])
    .optional()
    .describe('Where traces go, by OTLP over HTTP: its base URL. Unset: there are none.'),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    .refine((text) => list(text).every((pair) => HEADER.test(pair)), {
      error: 'must be name=value, values percent-encoded',
    })
    .transform((text) => headersOf(text))
    .describe('Headers it wants, such as a token: name=value, separated by commas.'),
  OTEL_SERVICE_NAME: z.string().min(1).default('toolgate').describe('Whose traces they are.'),
  OTEL_TRACES_SAMPLER: z
    .enum([
      ...(['always_on', 'always_off', 'traceidratio'] as const),
      ...(['parentbased_always_on', 'parentbased_always_off'] as const),
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on')
    .describe('Which requests are traced; parentbased: those whose client traces them, too.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('The share of requests that traceidratio traces.'),
};
