import { readFileSync } from 'node:fs';
import type { Kind } from '../names.ts';
import type { Requests } from '../requests.ts';
import type { Seed } from '../seed.ts';
import type { OperatorActions } from '../operator.ts';
import type { Written } from '../write.ts';
import type { LoadedDemo } from './schema.ts';
import { pastCalls, pastEvents } from './history.ts';
import type { DemoIds, PastCall, PastEvent } from './history.ts';

/** The people of the demo. Nobody can have such an address: `.example` is reserved (RFC 2606). */
export const DEMO_PEOPLE = [
  'ada@acme.example',
  'ben@acme.example',
  'cleo@acme.example',
  'dora@acme.example',
] as const;
const [OWNER, ADMIN, MEMBER] = DEMO_PEOPLE;
const ORGANIZATION = 'Acme';

/** Thrown where the demo cannot be loaded, with what to do about it. */
export class DemoRefused extends Error {}

export interface Demo {
  /** Loads the demo; throws `DemoRefused` if there is an organization already. */
  load(): Promise<LoadedDemo>;
  /** Removes the demo with all its people; returns false if there is none. */
  remove(): Promise<boolean>;
  /** Returns whether the demo is loaded, wholly or in part. */
  isLoaded(): Promise<boolean>;
}

export interface DemoDependencies {
  seed: Seed;
  requests: Requests;
  operator: OperatorActions;
  /** Returns whether there is any organization. */
  hasOrganizations(): Promise<boolean>;
  tools: readonly { id: string; name: string }[];
  recordPastCalls(calls: readonly PastCall[]): Promise<void>;
  recordPastEvents(events: readonly PastEvent[]): Promise<void>;
  /** Records that keys were used now. */
  recordUses(key_ids: readonly string[]): void;
  publicUrl: string;
  dashboardUrl: string;
  now(): Date;
}

export { firstRunToken } from './first-run.ts';

const FILE = new URL('acme.yaml', import.meta.url);

export function createDemo(dependencies: DemoDependencies): Demo {
  const { seed, operator, hasOrganizations } = dependencies;

  async function accounts(): Promise<string[]> {
    const found = await Promise.all(DEMO_PEOPLE.map((email) => operator.findAccount(email)));
    return found.filter((id) => id !== null);
  }

  async function remove(): Promise<boolean> {
    const owner = await operator.findAccount(OWNER);
    if (owner !== null) await removeOrganization(dependencies, owner);
    const ids = await accounts();
    for (const id of ids) await operator.deleteAccount(id);
    return ids.length > 0;
  }

  return {
    async load() {
      if (await hasOrganizations())
        throw new DemoRefused(
          'The demo is loaded only where no organization exists, so that nobody takes it for their own.',
        );
      if ((await accounts()).length > 0)
        throw new DemoRefused('Parts of the demo exist. Remove it before you load it again.');
      const written = await seed.apply(readFileSync(FILE, 'utf8'));
      try {
        return await addPast(dependencies, written);
      } catch (error) {
        await remove();
        throw error;
      }
    },
    remove,
    isLoaded: async () => (await accounts()).length > 0,
  };
}

async function removeOrganization({ requests, operator }: DemoDependencies, owner: string) {
  const session = await operator.openSession(owner);
  try {
    const { data } = await requests.send(session.token, 'GET /api/organizations', {});
    for (const { id, name } of data as readonly { id: string; name: string }[])
      if (name === ORGANIZATION) await operator.deleteOrganization(session, { id, name });
  } finally {
    await session.end();
  }
}

/** Adds what only time brings: revocations, an assignment that became stale, and a history. */
async function addPast(
  { requests, operator, recordUses, ...dependencies }: DemoDependencies,
  written: Written,
): Promise<LoadedDemo> {
  const idOf = (kind: Kind, name: string): string => {
    const found = written.created.find((one) => one.kind === kind && one.name === name);
    if (found === undefined) throw new TypeError(`The demo has no ${kind} ${name}.`);
    return found.id;
  };
  const act = async (email: string, route: `DELETE /api/${string}`) => {
    const session = await operator.openSession(idOf('person', email));
    try {
      await requests.send(session.token, route, {});
    } finally {
      await session.end();
    }
  };
  await act(ADMIN, `DELETE /api/keys/${idOf('key', 'old-laptop')}`);
  await act(MEMBER, `DELETE /api/me/agents/${idOf('agent', 'scribe')}`);
  const ids: DemoIds = {
    organization: idOf('organization', ORGANIZATION),
    people: DEMO_PEOPLE.map((email) => idOf('person', email)),
    teams: [idOf('team', 'release'), idOf('team', 'platform')],
    keys: {
      release: idOf('key', 'ci-release'),
      nightly: idOf('key', 'nightly-report'),
      editor: idOf('key', 'cleo-editor'),
      laptop: idOf('key', 'ada-laptop'),
    },
    tools: new Map(dependencies.tools.map(({ id, name }) => [name, id])),
  };
  const now = dependencies.now();
  await dependencies.recordPastCalls(pastCalls(ids, now));
  await dependencies.recordPastEvents(pastEvents(ids, now));
  recordUses(Object.values(ids.keys));
  return shownOnce(ids, written, dependencies);
}

function shownOnce(
  { organization, keys, teams, tools }: DemoIds,
  { secrets }: Written,
  { publicUrl, dashboardUrl }: Pick<DemoDependencies, 'publicUrl' | 'dashboardUrl'>,
): LoadedDemo {
  const page = `${dashboardUrl}/app/org/${organization}`;
  const key = secrets.find(({ kind, name }) => kind === 'key' && name === 'ci-release')!;
  const explanation = (id: string, tool: string) =>
    `${page}/keys/${id}?tab=explain&family=tool&item=${tool}`;
  return {
    organization_id: organization,
    passwords: secrets
      .filter(({ kind }) => kind === 'password')
      .map(({ name, secret }) => ({ name, secret })),
    curl: curlOf(publicUrl, key.secret),
    links: {
      // Among hidden items a built-in tool has its id, among visible ones its name.
      denial: explanation(keys.nightly, tools.get('web_fetch')!),
      admission: explanation(keys.release, 'web_fetch'),
      policies: `${page}/teams/${teams[1]!}`,
      members: `${page}/members`,
      audit: `${page}/audit`,
    },
  };
}

/** Returns a command that calls a tool: one request, without a session. */
function curlOf(url: string, secret: string): string {
  const version = '2026-07-28';
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'semver_compare',
      arguments: { left: '1.9.2', right: '1.10.0' },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
  const headers = [
    `X-API-Key: ${secret}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${version}`,
    'Mcp-Method: tools/call',
    'Mcp-Name: semver_compare',
  ];
  return [
    `curl -s ${url}/mcp`,
    ...headers.map((header) => `-H '${header}'`),
    `-d '${JSON.stringify(call)}'`,
  ].join(' ');
}
