import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { indexTools } from '../../src/mcp/search/tool-index.ts';
import { finish } from '../../src/platform/concurrency/turns.ts';
import { credentialHeader } from '../support/clients/credential-header.ts';
import { createKey, signUp } from '../support/people/people.ts';
import { request } from './organizations/people.ts';
import type { Measured } from './organizations/people.ts';
import type { Target } from './targets.ts';
import { printTimings, timeInTurns } from './timings.ts';
import { median } from './turns.ts';

const SEARCHES = 100;
const CHARACTERS_PER_TOKEN = 4;
const QUERIES = [
  'create an issue in github',
  'refund invoice',
  'find a customer and update the due date',
  'deploymnt',
  'merge pull request',
];

const VERBS = 'create list get update delete search export merge archive refund'.split(' ');
const NOUNS = (
  'issue pull_request invoice customer event document deployment ticket contact order shipment ' +
  'page dashboard alert repository branch user team report subscription'
).split(' ');
const SYSTEMS = (
  'github gitlab jira linear stripe salesforce hubspot notion slack asana datadog pagerduty sentry ' +
  'zendesk shopify aws gcp azure quickbooks airtable trello monday intercom twilio figma'
).split(' ');

/** 5,000 tools such as upstreams have, with names and descriptions that share most words. */
const tools = SYSTEMS.flatMap((system) =>
  NOUNS.flatMap((noun) => VERBS.map((verb) => toolOf(system, verb, noun))),
);

function toolOf(system: string, verb: string, noun: string) {
  const text = { type: 'string' };
  return {
    name: `${system}_${verb}_${noun}`,
    title: `${verb} ${noun} in ${system}`,
    description:
      `Use this tool to ${verb} a ${noun.replace('_', ' ')} in ${system}. Returns the ${noun} with ` +
      `its id, its state and the time of its last change. Fails with not_found if it does not exist.`,
    input_schema: {
      type: 'object',
      properties: {
        id: { ...text, description: `Id of the ${noun}.` },
        title: { ...text, description: 'A short title.' },
        assignees: { type: 'array', items: text, description: 'Who it is assigned to.' },
        due_date: { ...text, description: 'Date in RFC 3339.' },
      },
      required: ['id'],
    },
  };
}

/**
 * Measures what a model reads of 5,000 tools, listed and searched for, and how long a search takes:
 * the search itself, and the whole request.
 */
export async function measureToolSearch(start: () => Promise<Measured>): Promise<Target[]> {
  const on = await start();
  try {
    return await measureWith(on);
  } finally {
    await on.gateway.stop();
  }
}

async function measureWith(on: Measured): Promise<Target[]> {
  const owner = await signUp(on, on, 'search');
  await request(owner, {
    path: '/api/me/custom-tools',
    body: { ...tools[0]!, kind: 'http', http: { method: 'GET', url: 'https://example.com/' } },
  });
  await copyTools(on.deployment.databaseUrl, owner.account_id);
  const keyOf = async (tool_listing: string): Promise<string> =>
    (await createKey(owner, { name: tool_listing, tool_listing })).secret;
  const [all, search] = [await keyOf('all'), await keyOf('search')];
  const [before, after] = [await listCharacters(on.url, all), await listCharacters(on.url, search)];
  const index = finish(indexTools(tools));
  const queryOf = (round: number) => QUERIES[round % QUERIES.length]!;
  const timings = await timeInTurns(
    [
      {
        name: 'search in an index of 5,000 tools',
        run: async (round) => finish(index.search(queryOf(round))),
      },
      {
        name: 'search_tools, whole request',
        run: (round) => searchWith(on.url, search, queryOf(round)),
      },
    ],
    SEARCHES,
  );
  printTimings(timings);
  console.log(`\ntools/list of 5,000 tools         ${figures(before)}`);
  console.log(`tools/list with search_tools       ${figures(after)}`);
  return [
    { name: 'search in 5,000 tools: ms', value: median(timings[0]!.ms), limit: 5, kind: 'at most' },
    { name: 'list, searching / all: tokens', value: after / before, limit: 0.01, kind: 'at most' },
  ];
}

const figures = (characters: number): string =>
  `${characters} characters, about ${Math.ceil(characters / CHARACTERS_PER_TOKEN)} tokens`;

/** Stores all tools as copies of the first one, which was created over REST. */
async function copyTools(databaseUrl: string, account_id: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const rest = tools.slice(1).map((tool) => ({ id: randomUUID(), ...tool }));
  await client.query(
    `INSERT INTO item (id, space_id, family, name, version, head)
     SELECT copy.id, item.space_id, item.family, copy.name, 1, item.head || jsonb_build_object(
       'title', copy.title, 'description', copy.description, 'input_schema', copy.input_schema)
     FROM item, jsonb_to_recordset($1::jsonb)
       AS copy (id uuid, name text, title text, description text, input_schema jsonb)
     WHERE item.space_id = $2`,
    [JSON.stringify(rest), account_id],
  );
  await client.end();
}

/** Returns the characters of all pages of a credential's tools. */
async function listCharacters(url: string, secret: string): Promise<number> {
  let characters = 0;
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const { tools: page, nextCursor } = await ask(url, secret, 'tools/list', params);
    characters += JSON.stringify(page).length;
    cursor = nextCursor;
  } while (cursor !== undefined);
  return characters;
}

const searchWith = (url: string, secret: string, query: string) =>
  ask(url, secret, 'tools/call', { name: 'search_tools', arguments: { query } });

interface Result {
  tools?: object[];
  nextCursor?: string;
}

async function ask(
  url: string,
  secret: string,
  method: string,
  params: { name?: string; [field: string]: unknown } = {},
): Promise<Result> {
  const prefix = 'io.modelcontextprotocol/';
  const _meta = { [`${prefix}protocolVersion`]: '2026-07-28', [`${prefix}clientCapabilities`]: {} };
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
      ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
      ...credentialHeader(secret),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const { result } = (await response.json()) as { result?: Result };
  if (result === undefined) throw new Error(`${method} failed with ${response.status}`);
  return result;
}
