import { readFileSync } from 'node:fs';
import type { Kind } from '../names.ts';
import type { Requests } from '../requests.ts';
import type { OperatorActions } from '../operator.ts';
import { isOwned } from '../write.ts';
import type { Written } from '../write.ts';
import type { Body } from '../steps/step.ts';
import type { LoadedDemo } from './schema.ts';
import type { DemoRecord, DemoRow } from './store.ts';
import { pastCalls, pastEvents } from './history.ts';
import type { DemoIds, PastCall, PastEvent } from './history.ts';
import { askIn, beRefused, takeReviews } from './reviews.ts';
import type { Ask } from './reviews.ts';

/** The people of the demo. Nobody can have such an address: `.example` is reserved (RFC 2606). */
const DEMO_PEOPLE = [
  'ada@acme.example',
  'ben@acme.example',
  'cleo@acme.example',
  'dora@acme.example',
] as const;
const [OWNER, ADMIN, MEMBER, AUDITOR] = DEMO_PEOPLE;
const ORGANIZATION = 'Acme';

/** Thrown where the demo cannot be loaded, with what to do about it. */
export class DemoRefused extends Error {}

export interface DemoDependencies {
  seed: { apply(text: string): Promise<Written> };
  requests: Requests;
  operator: OperatorActions;
  record: DemoRecord;
  /** Returns whether there is any organization. */
  hasOrganizations(): Promise<boolean>;
  tools: readonly { id: string; name: string }[];
  recordPastCalls(calls: readonly PastCall[]): Promise<void>;
  recordPastEvents(events: readonly PastEvent[]): Promise<void>;
  /** Records that keys were used now. */
  recordUses(key_ids: readonly string[]): void;
  /** Makes keys older. */
  backdateKeys(key_ids: readonly string[], days: number): Promise<void>;
  publicUrl: string;
  dashboardUrl: string;
  now(): Date;
}

export { firstRunToken } from './first-run.ts';
export { createDemoRecord } from './store.ts';

const FILE = new URL('acme.yaml', import.meta.url);

export function createDemo(dependencies: DemoDependencies) {
  const { seed, operator, record, hasOrganizations } = dependencies;

  /** Returns the accounts of the demo that still have its addresses. */
  async function accountsOf({ account_ids }: DemoRow): Promise<string[]> {
    const found = await Promise.all(DEMO_PEOPLE.map((email) => operator.findAccount(email)));
    return found.filter((id) => id !== null && (account_ids?.includes(id) ?? true)) as string[];
  }

  /** Removes what belongs to the demo and its people; returns false if there is none. */
  async function remove(): Promise<boolean> {
    const demo = await record.find();
    if (demo === null) return false;
    const accounts = await accountsOf(demo);
    for (const id of accounts) await removeOrganization(dependencies, demo, id);
    for (const id of accounts) await operator.deleteAccount(id);
    await record.drop();
    return true;
  }

  async function create(): Promise<LoadedDemo> {
    const written = await seed.apply(readFileSync(FILE, 'utf8'));
    const loaded = await addPast(dependencies, written);
    const account_ids = written.created.filter(({ kind }) => kind === 'person').map(({ id }) => id);
    await record.complete({ account_ids, organization_id: loaded.organization_id });
    return loaded;
  }

  return {
    /** Loads the demo; throws `DemoRefused` if there is an organization or a demo already. */
    async load() {
      if (await hasOrganizations())
        throw new DemoRefused(
          'The demo is loaded only where no organization exists, so that it cannot be confused with one in use.',
        );
      if ((await accountsOf(NOTHING_KNOWN)).length > 0)
        throw new DemoRefused('People of the demo have accounts already. Remove the demo first.');
      if (!(await record.begin()))
        throw new DemoRefused(
          'The demo is being loaded, or was not loaded whole. Remove it first.',
        );
      try {
        return await create();
      } catch (error) {
        await remove();
        throw error;
      }
    },
    remove,
    /** Returns whether the demo is loaded, wholly or in part. */
    isLoaded: async () => (await record.find()) !== null,
    /** Returns whether an account is one of the demo. */
    async includes(account_id: string) {
      const demo = await record.find();
      return demo !== null && (await accountsOf(demo)).includes(account_id);
    },
  };
}
export type Demo = ReturnType<typeof createDemo>;

const NOTHING_KNOWN: DemoRow = { account_ids: null, organization_id: null };

/** Deletes the organization of the demo if this person is its Owner. */
async function removeOrganization(
  { requests, operator }: DemoDependencies,
  { organization_id }: DemoRow,
  account_id: string,
) {
  const isOfDemo = ({ id, name }: OrganizationOfPerson) =>
    organization_id === null ? name === ORGANIZATION : id === organization_id;
  const session = await operator.openSession(account_id);
  try {
    const { data } = await requests.send(session.token, 'GET /api/organizations', {});
    for (const organization of data as readonly OrganizationOfPerson[])
      if (isOfDemo(organization) && isOwned(organization))
        await operator.deleteOrganization(session, organization);
  } finally {
    await session.end();
  }
}

/** Long enough for a key that is not used to count as unused. */
const KEY_AGE_DAYS = 120;

interface OrganizationOfPerson extends Body {
  id: string;
  name: string;
}

/** Adds what only time brings: revocations, an assignment that became stale, and a history. */
async function addPast(
  { requests, operator, recordUses, backdateKeys, ...dependencies }: DemoDependencies,
  written: Written,
): Promise<LoadedDemo> {
  const idOf = (kind: Kind, name: string): string => {
    const found = written.created.find((one) => one.kind === kind && one.name === name);
    if (found === undefined) throw new TypeError(`The demo has no ${kind} ${name}.`);
    return found.id;
  };
  const actAs = async (email: string, act: (ask: Ask) => Promise<unknown>) => {
    const session = await operator.openSession(idOf('person', email));
    try {
      await act(askIn(requests, session.token));
    } finally {
      await session.end();
    }
  };
  await actAs(ADMIN, (ask) => ask(`DELETE /api/keys/${idOf('key', 'old-laptop')}`));
  await actAs(MEMBER, (ask) => ask(`DELETE /api/me/agents/${idOf('agent', 'scribe')}`));
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
  const [revoked, reduced] = [idOf('key', 'legacy-webhook'), idOf('key', 'staging-bot')];
  await backdateKeys([revoked, reduced, ...Object.values(ids.keys)], KEY_AGE_DAYS);
  const { organization } = ids;
  const base = `/api/organizations/${organization}` as const;
  await actAs(MEMBER, (ask) => beRefused(ask, [`GET ${base}/members`, `GET ${base}/audit`]));
  await actAs(AUDITOR, (ask) => beRefused(ask, [`DELETE ${base}/keys/${ids.keys.nightly}`]));
  const reviewed = { organization, revoked, reduced, kept: ids.keys.release };
  await actAs(OWNER, (ask) => takeReviews(ask, reviewed));
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
