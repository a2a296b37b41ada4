import type { Authority } from '../../caller/actor.ts';
import { isRefusal, unprocessable } from '../../platform/errors/refusal.ts';
import { withoutEnds } from '../../platform/text/without-ends.ts';
import type { Space } from '../spaces/space.ts';
import { UpstreamDraft } from '../upstreams/schema.ts';
import type { UpstreamRecord } from '../upstreams/schema.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { fillPlaceholders } from './placeholders.ts';
import type {
  MissingHeaders,
  SkippedServer,
  UpstreamsImport,
  UpstreamsImported,
} from './schema.ts';
import { serversIn } from './servers.ts';
import type { DocumentServer, FoundServer } from './servers.ts';

/** Maximum number of servers that one document may have. */
const MAX_SERVERS = 100;
const MAX_NAME = 64;
/** Maximum number of headers that a server may describe, more than it may have. */
const MAX_DESCRIBED_HEADERS = 100;

/** Creates the import of upstreams from a registry's or a client's document. */
export function createImportUpstreams({ create }: Pick<Upstreams, 'create'>) {
  async function addOne(
    space: Space,
    server: FoundServer,
    variables: Readonly<Record<string, string>>,
    authority: Authority,
  ): Promise<SkippedServer | { upstream: UpstreamRecord; headers: MissingHeaders['headers'] }> {
    if ('code' in server) return server;
    const skip = (code: string, message: string) => ({ name: server.name, code, message });
    if (server.headers.length > MAX_DESCRIBED_HEADERS)
      return skip('invalid_document', `It has more than ${MAX_DESCRIBED_HEADERS} headers.`);
    const { draft, headers, skipped } = draftOf(server, variables);
    if (skipped !== null) return skipped;
    const parsed = UpstreamDraft.safeParse(draft);
    if (!parsed.success)
      return skip('invalid_document', 'Its name, URL or headers are not those of an upstream.');
    try {
      return { upstream: await create(space, parsed.data, authority), headers };
    } catch (error) {
      if (!isRefusal(error) || !EXPECTED.has(error.kind)) throw error;
      return skip(error.code, error.message);
    }
  }

  return async function importUpstreams(
    space: Space,
    { document, variables }: UpstreamsImport,
    authority: Authority,
  ): Promise<UpstreamsImported> {
    const servers = serversIn(document);
    if (servers === null || servers.length > MAX_SERVERS) throw unsupportedDocument();
    const result: UpstreamsImported = { upstreams: [], missing: [], skipped: [] };
    for (const server of servers) {
      const added = await addOne(space, server, variables, authority);
      if ('code' in added) {
        result.skipped.push(shown(added));
        continue;
      }
      const { upstream, headers } = added;
      result.upstreams.push(upstream);
      if (headers.length > 0)
        result.missing.push({ id: upstream.id, name: upstream.name, headers });
    }
    return result;
  };
}

/** Cuts the texts of a document that a response repeats; half a surrogate pair breaks JSON parsers. */
const shown = ({ name, code, message }: SkippedServer): SkippedServer => ({
  name: name.slice(0, 200).toWellFormed(),
  code,
  message: message.toWellFormed(),
});

/** Fills the placeholders; a header with one that has no value is left out. */
function draftOf(server: DocumentServer, variables: Readonly<Record<string, string>>) {
  const url = fillPlaceholders(server.url, { ...server.defaults, ...variables });
  const headers: [string, string][] = [];
  const missing: MissingHeaders['headers'] = [];
  for (const { name, value, isRequired, defaults } of server.headers) {
    const filled = fillPlaceholders(value ?? '', { ...defaults, ...variables });
    if (value !== null && filled.missing.length === 0) headers.push([name, filled.text]);
    else if (value !== null || isRequired) missing.push({ name, variables: filled.missing });
  }
  const skipped: SkippedServer | null =
    url.missing.length === 0
      ? null
      : {
          name: server.name,
          code: 'missing_variable',
          message: `Its URL needs ${url.missing.join(', ').slice(0, 300)}: send it in \`variables\`.`,
        };
  const draft = {
    ...{ name: nameOf(server.name), url: url.text },
    headers: Object.fromEntries(headers),
  };
  return { draft, headers: missing, skipped };
}

const nameOf = (name: string) =>
  withoutEnds(name.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, '-'), '-').slice(0, MAX_NAME);

const unsupportedDocument = () =>
  unprocessable(
    'unsupported_document',
    `The document must be a registry’s server.json, or have mcpServers or servers, of at most ${MAX_SERVERS} servers.`,
    { detail: { pointer: '/document' } },
  );

const EXPECTED = new Set(['conflict', 'unprocessable']);
