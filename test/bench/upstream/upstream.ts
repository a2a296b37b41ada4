import type { Mailbox } from '../../support/people/mailbox.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { initialize, legacy, modern } from '../messages.ts';
import type { Request } from '../load.ts';
import { startPeer } from '../process.ts';
import type { PeerProcess } from '../process.ts';
import type { Contender } from '../turns.ts';
import { createCallers, speeches } from './callers.ts';
import type { Caller, CallerOfMany } from './callers.ts';

const EXPECTED = 'A row of a report';
const KB = 1_024;
/** Sizes of results in KB, next to the usual 1 KB. */
export const SIZES = [16, 256];

/** A gateway that may call servers at 127.0.0.1. */
export interface MeasuredGateway {
  gateway: PeerProcess;
  env: Readonly<Record<string, string>>;
  port: number;
  url: string;
  mailbox: Mailbox;
}

/** A running server and how a tool with a result of this size is called there. */
interface Server {
  peer: PeerProcess;
  port: number;
  requests(kilobytes: number): Request[];
}

/** Starts the other servers; returns calls of their tools at the gateway, the floor and a peer. */
export async function upstreamContenders(on: MeasuredGateway): Promise<Contender[]> {
  const upstreamPort = await freePort();
  const upstream = await startPeer('mcp-upstream', { PORT: String(upstreamPort) });
  const origin = `http://127.0.0.1:${upstreamPort}`;
  const { one, many } = await createCallers(on.mailbox, on.url, origin);
  const direct = { peer: upstream, port: upstreamPort, requests: directly };
  const floor = await startServer('floor', { ...on.env, UPSTREAM_URL: `${origin}/2026` });
  const proxy = await startServer('mcp-proxy-http', { UPSTREAM_URL: `${origin}/2025` });
  const forKey = (kilobytes: number) => [callOf('report', kilobytes, { key: one.key })];
  const withoutKey = (kilobytes: number) => [callOf('report', kilobytes)];

  const atGateway = await gatewayCalls(on, one);
  const calls: [string, Server][] = [
    ...atGateway,
    ['floor', { ...floor, requests: forKey }],
    ['mcp-proxy', { ...proxy, requests: withoutKey }],
  ];
  const sized = calls.filter(([name]) =>
    ['2026 to 2026', '2025 to 2025-events', 'floor'].includes(name),
  );
  const fromMany = many.flatMap(({ key, names }: CallerOfMany) =>
    names.map((name) => modernCall(name, 1, key)),
  );
  const keys = many.map(({ key }) => callOf('report', 1, { key }));
  return [
    ...calls.map(([name, server]) => contenderOf(name, server)),
    ...[['direct', direct] as const, ...calls].map(([name, server]) => ({
      ...contenderOf(`${name}, alone`, server),
      connections: 1,
    })),
    ...SIZES.flatMap((kilobytes) =>
      sized.map(([name, server]) => contenderOf(`${name}, ${kilobytes} KB`, server, kilobytes)),
    ),
    contenderOf('2026 to 500', { peer: on.gateway, port: on.port, requests: () => fromMany }),
    contenderOf('floor to 500', { ...floor, requests: () => keys }),
  ];
}

async function startServer(name: string, env: Readonly<Record<string, string>>) {
  const port = await freePort();
  return { port, peer: await startPeer(name, { ...env, PORT: String(port) }) };
}

const contenderOf = (name: string, server: Server, kilobytes = 1): Contender => ({
  ...{ name, peer: server.peer, expecting: EXPECTED },
  load: { port: server.port, requests: server.requests(kilobytes) },
});

/** Returns calls in both protocol versions, of tools of servers of each kind. */
async function gatewayCalls({ gateway, port }: MeasuredGateway, one: Caller) {
  const session = await initialize(port, one.key);
  const { key } = one;
  const tools = [...speeches.map((speech) => [speech, one.tools[speech]] as const)];
  return [...tools, ['http', one.http] as const].flatMap(([kind, name]): [string, Server][] => [
    [
      `2026 to ${kind}`,
      { peer: gateway, port, requests: (kilobytes) => [modernCall(name, kilobytes, key)] },
    ],
    [
      `2025 to ${kind}`,
      { peer: gateway, port, requests: (kilobytes) => [callOf(name, kilobytes, { key, session })] },
    ],
  ]);
}

const paramsOf = (name: string, kilobytes: number) => ({
  name,
  arguments: { size: kilobytes * KB },
});

const modernCall = (name: string, kilobytes: number, key: string) =>
  modern('tools/call', key, paramsOf(name, kilobytes));

const callOf = (name: string, kilobytes: number, caller: { key?: string; session?: string } = {}) =>
  legacy('tools/call', caller, paramsOf(name, kilobytes));

const directly = (kilobytes: number) => [{ ...callOf('report', kilobytes), path: '/2026' }];
