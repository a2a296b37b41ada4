import { z } from 'zod';
import { fewEntries } from '../items/schema.ts';
import { UpstreamRecord } from '../upstreams/schema.ts';

const MAX_VARIABLES = 100;

export const UpstreamsImport = z
  .object({
    document: z
      .record(z.string(), z.unknown())
      .describe(
        'A registry’s `server.json`, or a client’s `mcp.json` with `mcpServers` or `servers`.',
      ),
    variables: fewEntries(
      z.record(z.string().max(200), z.string().max(4_096)),
      MAX_VARIABLES,
      'variables',
    )
      .default({})
      .describe('Values of placeholders, such as `token` for `{token}` and `${input:token}`.'),
  })
  .meta({ id: 'UpstreamsImport' });
export type UpstreamsImport = z.infer<typeof UpstreamsImport>;

const SkippedServer = z
  .object({ name: z.string(), code: z.string(), message: z.string() })
  .meta({ id: 'SkippedServer' });
export type SkippedServer = z.infer<typeof SkippedServer>;

const MissingHeaders = z
  .object({
    id: z.guid(),
    name: z.string(),
    headers: z.array(
      z.object({
        name: z.string(),
        variables: z.array(z.string()).describe('Placeholders without a value.'),
      }),
    ),
  })
  .meta({ id: 'MissingHeaders' });
export type MissingHeaders = z.infer<typeof MissingHeaders>;

export const UpstreamsImported = z
  .object({
    upstreams: z.array(UpstreamRecord),
    missing: z.array(MissingHeaders).describe('Headers that the upstreams need, to be set later.'),
    skipped: z.array(SkippedServer),
  })
  .meta({ id: 'UpstreamsImported' });
export type UpstreamsImported = z.infer<typeof UpstreamsImported>;
