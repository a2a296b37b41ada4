import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { DecisionRecord } from '../../../src/decision-log/schema.ts';
import type { AccessExplanation } from '../../../src/explorer/schema.ts';
import { credentialHeader } from '../../support/clients/credential-header.ts';
import { askAs } from '../../support/people/organizations.ts';
import type { SignedUp } from '../../support/people/people.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { readDecisions } from '../decision-log/reading.ts';
import { ask } from '../mcp/key-holder.ts';
import { smallCatalog } from './agents-reach.ts';
import type { GrantedKey } from './access-answers.ts';
import type { BuiltOrganization, OrganizationKey } from './built-organization.ts';

/** Decisions are visible within five seconds. */
const VISIBLE_MS = 5_000;

/** What a caller met, and what the explorer says of it. */
interface Compared {
  /** What was asked, for the report of a difference. */
  asked: string;
  request_id: string;
  /** The error code; `runs` if access was not denied. */
  met: string;
  explained: AccessExplanation;
}

type Family = 'tools' | 'prompts' | 'resources';
interface AskedItem {
  family: Family;
  id: string;
  name: string;
}

/**
 * Expects that what every credential meets, when it uses items and calls routes, is what its
 * explanation says; and that every denial, and nothing else, is recorded as one denied decision, for
 * the reason of the explanation's first failed step.
 */
export async function compareDecisions(
  built: BuiltOrganization,
  granted: readonly GrantedKey[],
  gateway: Gateway,
): Promise<void> {
  const since = new Date(Date.now() - 1_000).toISOString();
  const compared = [
    ...(await usesOfItems(built, gateway)),
    ...(await callsOfRoutes(built, granted)),
  ];
  for (const { asked, met, explained } of compared)
    expect([asked, met]).toEqual([asked, expectedOf(explained)]);

  await setTimeout(VISIBLE_MS);
  const denied = Map.groupBy(await deniedSince(built, since), ({ request_id }) => request_id);
  for (const { asked, request_id, explained } of compared) {
    const reasons = (denied.get(request_id) ?? []).map(({ reason }) => reason);
    const failed = explained.steps.find(({ outcome }) => outcome === 'failed');
    expect([asked, reasons]).toEqual([asked, failed === undefined ? [] : [failed.reason]]);
  }
}

const expectedOf = ({ allowed, steps }: AccessExplanation) =>
  allowed ? 'runs' : steps.find(({ outcome }) => outcome === 'failed')!.code;

async function explain(
  { owner, base }: BuiltOrganization,
  question: object,
): Promise<AccessExplanation> {
  const path = `${base}/access/explain`;
  const { status, body } = await askAs<AccessExplanation>(owner, { path, body: question });
  expect([question, status]).toEqual([question, 200]);
  return body;
}

async function usesOfItems(built: BuiltOrganization, gateway: Gateway): Promise<Compared[]> {
  const compared: Compared[] = [];
  const items = itemsOf(built);
  for (const key of built.keys) {
    if (key.memberIndex !== null && built.members[key.memberIndex]!.hasLeft) continue;
    for (const { family, id, name } of items) {
      const used = await use(gateway, key, { family, id, name });
      const subject = { kind: kindOf(key), id: key.id };
      const explained = await explain(built, { subject, item: { family, id } });
      compared.push({ asked: `${subject.kind} ${key.id}: ${name}`, ...used, explained });
    }
  }
  return compared;
}

/** Returns the shared items of an organization, and the built-in ones, by the names of MCP. */
function itemsOf({ catalog, teams }: BuiltOrganization): AskedItem[] {
  const named = (family: Family, prefix: string, items: readonly { id: string; name: string }[]) =>
    items.map(({ id, name }) => ({ family, id, name: `${prefix}${name}` }));
  const current = ({ deprecated }: { deprecated?: boolean }) => deprecated !== true;
  return [
    ...named('tools', '', smallCatalog.tools().filter(current)),
    ...named('prompts', '', smallCatalog.prompts().filter(current)),
    ...named('tools', '', catalog.items.tools),
    ...named('prompts', '', catalog.items.prompts),
    ...named('resources', 'toolgate://org/', catalog.items.resources),
    ...teams.flatMap((team) => [
      ...named('tools', `${team.name}__`, team.tools),
      ...named('prompts', `${team.name}/`, team.prompts),
      ...named('resources', `toolgate://team/${team.name}/`, team.resources),
    ]),
  ];
}

const kindOf = ({ isConnection, memberIndex }: OrganizationKey): string => {
  if (memberIndex === null) return isConnection ? 'client' : 'organization_key';
  return isConnection ? 'connection' : 'key';
};

const NOT_FOUND = new Set([-32_601, -32_602]);

/** Uses an item over MCP; the arguments are wrong, which is found out only about a permitted use. */
async function use(gateway: Gateway, key: OrganizationKey, { family, name }: AskedItem) {
  const [method, params] = {
    tools: ['tools/call', { name, arguments: { no_such_argument: true } }],
    prompts: ['prompts/get', { name, arguments: {} }],
    resources: ['resources/read', { uri: name }],
  }[family] as [string, { name?: string; uri?: string }];
  const named = params.uri === undefined ? {} : { 'mcp-name': params.uri };
  const { headers, body } = await ask(
    `${gateway.url}/mcp`,
    { ...credentialHeader(key.secret), ...named },
    method,
    params,
  );
  const { error, result } = body;
  const isMissing = error !== undefined && NOT_FOUND.has(error.code) && error.data === undefined;
  const code = result?.structuredContent?.error?.code;
  const isDenied = code === 'tool_not_permitted' || code === 'capability_denied';
  const met = isMissing ? 'method_not_found' : ((isDenied ? code : null) ?? 'runs');
  return { request_id: headers.get('x-request-id')!, met };
}

/** Routes of an organization, by the permission that they need. */
const ROUTES: Readonly<Record<string, string>> = {
  can_view_organization_members: 'members',
  can_view_organization_roles: 'roles',
  can_view_organization_mcp_settings: 'mcp-settings',
  can_view_organization_api_keys: 'keys',
  can_view_organization_oauth_clients: 'oauth-clients',
  can_view_organization_usage: 'usage',
  can_view_organization_audit: 'audit',
};

async function callsOfRoutes(
  built: BuiltOrganization,
  granted: readonly GrantedKey[],
): Promise<Compared[]> {
  const compared: Compared[] = [];
  const people = built.members
    .filter(({ hasLeft }) => !hasLeft)
    .map(({ person }) => ({ who: person, subject: { kind: 'member', id: person.account_id } }));
  const present = new Set([built.owner.account_id, ...people.map(({ subject }) => subject.id)]);
  const keys = granted
    .filter(({ account_id }) => account_id === null || present.has(account_id))
    .map(({ id, account_id, secret }) => ({
      who: { ...built.owner, bearer: { 'x-api-key': secret } as never } satisfies SignedUp,
      subject: { kind: account_id === null ? 'organization_key' : 'key', id },
    }));
  for (const { who, subject } of [...people, ...keys])
    for (const [permission, path] of Object.entries(ROUTES)) {
      const answer = await askAs(who, { path: `${built.base}/${path}` });
      const met = answer.status === 200 ? 'runs' : answer.body.errors![0]!.code;
      const explained = await explain(built, { subject, permission });
      const request_id = answer.headers.get('x-request-id')!;
      compared.push({ asked: `${subject.kind}: ${path}`, request_id, met, explained });
    }
  return compared;
}

/** Reads the denied decisions of an organization since a time. */
async function deniedSince(
  { owner, id }: BuiltOrganization,
  since: string,
): Promise<DecisionRecord[]> {
  const decisions: DecisionRecord[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const query = `?limit=200&outcome=denied&since=${since}${after}`;
    const page = await readDecisions(owner, id, query);
    decisions.push(...page.data);
    cursor = page.next_cursor;
  }
  return decisions;
}
