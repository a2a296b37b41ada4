import type { ServerResponse } from 'node:http';
import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { Log } from '../../platform/observability/log.ts';
import { asRefusal } from '../../platform/errors/outage.ts';
import type { RedisLink } from '../../platform/redis/redis.ts';
import type { ServerInfo } from '../protocol/advertised.ts';
import type { Call } from '../protocol/call.ts';
import { writeReply } from '../protocol/call.ts';
import { badParams, failureReply, invalidParams } from '../protocol/errors.ts';
import { stillAuthorized } from '../protocol/authorization.ts';
import { MAX_WAITING_BYTES, openEventStream } from '../protocol/event-stream.ts';
import type { EventStream } from '../protocol/event-stream.ts';
import { sendText } from '../protocol/http.ts';
import type { ListenHandler } from '../protocol/handler.ts';
import { createListenSlots } from './listen-slots.ts';
import { RESOURCES_PER_CREDENTIAL } from './redis-keys.ts';
import type { Digests, ResourceVersions } from './watch.ts';
import type { Watches } from './watches.ts';

export interface ListenDependencies {
  watch: Watches['add'];
  digest(caller: AgentPrincipal): Promise<Digests>;
  resourceVersions: ResourceVersions;
  redis: RedisLink;
  log: Log;
  serverInfo: ServerInfo;
}

type Family = keyof Digests;

/** Requested notifications, or the part of them that is granted. */
interface Subscriptions {
  families: readonly Family[];
  uris: readonly string[];
}

const filters: readonly (readonly [name: string, family: Family])[] = [
  ['toolsListChanged', 'tools'],
  ['promptsListChanged', 'prompts'],
  ['resourcesListChanged', 'resources'],
];

/** Creates the handler; it holds the last notified state in memory until the response closes. */
export function createOpenListen(dependencies: ListenDependencies): ListenHandler {
  const { watch, digest, resourceVersions, redis, serverInfo, log } = dependencies;
  const slots = createListenSlots(redis, log);

  return async function openListen(call, response) {
    try {
      await open(call, response);
    } catch (error) {
      // Sent as HTTP 401, as for every other request.
      if (!response.headersSent && asRefusal(error)?.kind === 'unauthenticated') throw error;
      // Logged even if it can no longer be sent.
      const reply = failureReply(error, call, log);
      if (response.headersSent) response.destroy();
      else sendText(response, 200, writeReply(call.id, reply));
    }
  };

  async function open(call: Call, response: ServerResponse): Promise<void> {
    const { id } = call;
    const requested = parseFilter(call.params);
    const read = async (caller: AgentPrincipal): Promise<NotifiedState> => ({
      versions: await readVersions(resourceVersions, caller, requested.uris),
      digests: await digest(caller),
    });
    const first = await read(call.caller);
    const slot = await slots.take(call.caller, first.versions.size);
    if (slot === null)
      throw badParams('limit_reached', 'This credential has too many open listen streams.');
    response.once('close', slot.leave);
    if (response.destroyed) return slot.leave();

    // The lists may have taken long to read.
    const { caller } = await stillAuthorized(call);
    const notified = caller === call.caller ? first : await read(caller);
    const uris = [...notified.versions.keys()].slice(0, slot.resources);
    const accepted = { families: requested.families, uris };
    if (response.destroyed) return;
    const stream = openEventStream(response, { maxWaitingBytes: MAX_WAITING_BYTES });
    acknowledge(stream, id, accepted);
    const last = JSON.stringify(resultOf(id, serverInfo));
    if (accepted.families.length + accepted.uris.length === 0) return stream.end({ data: last });

    const handle = watch(caller, {
      address: call.address,
      async review(now, digests) {
        const current = await readVersions(resourceVersions, now, accepted.uris);
        for (const family of accepted.families)
          if (notified.digests[family] !== digests[family]) notifyList(stream, id, family);
        for (const [uri, version] of current)
          if (notified.versions.get(uri) !== version) notifyResource(stream, id, uri);
        notified.digests = digests;
        // Retain the last seen version of resources that cannot be read at the moment.
        notified.versions = new Map([...notified.versions, ...current]);
      },
      end(reason) {
        if (reason === 'shutdown') stream.end({ data: last });
        else stream.end();
      },
    });
    stream.onClose(handle.remove);
  }
}

interface NotifiedState {
  digests: Digests;
  versions: ReadonlyMap<string, string>;
}

const readVersions = async (
  read: ResourceVersions,
  ...[caller, uris]: Parameters<ResourceVersions>
): Promise<ReadonlyMap<string, string>> =>
  uris.length === 0 ? new Map<string, string>() : read(caller, uris);

function parseFilter(params: unknown): Subscriptions {
  const requested = (params as { notifications?: unknown } | undefined)?.notifications;
  if (typeof requested !== 'object' || requested === null || Array.isArray(requested))
    throw invalidParams([{ pointer: '/notifications', message: 'must be an object' }]);
  const fields = requested as Readonly<Record<string, unknown>>;
  for (const [name] of filters)
    if (fields[name] !== undefined && typeof fields[name] !== 'boolean')
      throw invalidParams([{ pointer: `/notifications/${name}`, message: 'must be a boolean' }]);
  const uris = fields['resourceSubscriptions'] ?? [];
  if (!Array.isArray(uris) || uris.some((uri) => typeof uri !== 'string'))
    throw invalidParams([
      { pointer: '/notifications/resourceSubscriptions', message: 'must be an array of strings' },
    ]);
  return {
    families: filters.filter(([name]) => fields[name] === true).map(([, family]) => family),
    uris: [...new Set(uris as string[])].slice(0, RESOURCES_PER_CREDENTIAL),
  };
}

type Id = Call['id'];
const metaOf = (id: Id) => ({ [SUBSCRIPTION_ID_META_KEY]: id });

function notify(stream: EventStream, id: Id, method: string, params: object = {}): void {
  const data = JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta: metaOf(id) } });
  stream.send({ data });
}

function acknowledge(stream: EventStream, id: Id, { families, uris }: Subscriptions): void {
  const lists = filters.flatMap(([name, family]) => (families.includes(family) ? [name] : []));
  const notifications = {
    ...Object.fromEntries(lists.map((name) => [name, true])),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
  };
  notify(stream, id, 'notifications/subscriptions/acknowledged', { notifications });
}

const notifyList = (stream: EventStream, id: Id, family: Family) =>
  notify(stream, id, `notifications/${family}/list_changed`);
const notifyResource = (stream: EventStream, id: Id, uri: string) =>
  notify(stream, id, 'notifications/resources/updated', { uri });

const resultOf = (id: Id, serverInfo: ServerInfo) => ({
  jsonrpc: '2.0',
  id,
  result: {
    resultType: 'complete',
    _meta: { ...metaOf(id), [SERVER_INFO_META_KEY]: serverInfo },
  },
});
