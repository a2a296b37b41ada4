import { expect, test } from 'vitest';
import { createOrganization } from '../../support/people/organizations.ts';
import { createKey, ownAddresses, signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const MAX_SEARCHED = 50_000;
const CALLS = 450;

/** Inserts a call per second of ada's key before a fixed day; every third is refused. */
const addCalls = (kind: string, id: string, count: number) =>
  world.query(
    `INSERT INTO usage_ledger (call_id, month, owner_kind, owner_id, kind, counted, account_id,
       key_id, credential_kind, item_id, item_name, outcome, layer, duration_ms, created_at)
     SELECT gen_random_uuid(), '2026-01-01', $1, $2, 'tool_call', true, $3, $4, 'api_key',
       'id-of-hash', '=hash', CASE WHEN n % 3 = 0 THEN 'refused' ELSE 'ok' END, 'ok', 3,
       '2026-01-15T00:00:00Z'::timestamptz - make_interval(secs => n)
     FROM generate_series(1, $5::int) AS n`,
    [kind, id, ada.account_id, key, count],
  );

const { world, gateway } = await useGateway(ownAddresses);
const ada = await signUp(world, gateway, 'ada');
const acme = (await createOrganization(ada)).id;
const key = (await createKey(ada, { name: 'release' })).id;
await addCalls('account', ada.account_id, CALLS);
await addCalls('organization', acme, CALLS);
const paths: Record<string, string> = {
  person: '/api/me/calls',
  key: `/api/keys/${key}/calls`,
  organization: `/api/organizations/${acme}/calls`,
};

const read = (path: string, who = ada) => fetch(`${gateway.url}${path}`, { headers: who.bearer });

/** Returns the entries of all pages of a list. */
async function entriesOf(path: string): Promise<object[]> {
  const entries: object[] = [];
  for (let cursor = ''; ;) {
    const page = (await (await read(`${path}&limit=200${cursor}`)).json()) as {
      data: object[];
      next_cursor: string | null;
    };
    entries.push(...page.data);
    if (page.next_cursor === null) return entries;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

test.each(['person', 'key', 'organization'])(
  'the calls of a %s as JSON lines are the entries of all pages, also of a filtered list',
  async (whose) => {
    for (const filter of ['', 'outcome=refused&', 'from=2026-01-14T23:59:00Z&']) {
      const path = `${paths[whose]}?${filter}`;
      const file = await read(`${path}format=jsonl`);
      const lines = (await file.text()).trimEnd().split('\n');

      expect(file.headers.get('content-disposition')).toBe(
        'attachment; filename="toolgate-calls.jsonl"',
      );
      expect(lines.map((line) => JSON.parse(line))).toEqual(await entriesOf(path));
    }
  },
);

test('calls as CSV have who called what, and no cell that is a formula', async () => {
  const heads = Object.values(paths).map(async (path) => {
    const text = await (await read(`${path}?format=csv&outcome=ok`)).text();
    const [head, first, ...more] = text.trimEnd().split('\r\n');
    expect(first).toContain("'=hash");
    return [head, more.length];
  });

  expect(await Promise.all(heads)).toEqual([
    [
      'id,at,key.id,key.name,kind,item.id,item.name,outcome,layer,duration_ms,arguments',
      (CALLS * 2) / 3 - 1,
    ],
    ['id,at,kind,item.id,item.name,outcome,layer,duration_ms,arguments', (CALLS * 4) / 3 - 1],
    [
      'id,at,member.account_id,member.email,credential.kind,credential.id,kind,item.id,item.name,outcome,layer,duration_ms',
      (CALLS * 2) / 3 - 1,
    ],
  ]);
});

test('who may not read the calls gets no file of them', async () => {
  const eve = await signUp(world, gateway, 'eve');

  expect((await read(`${paths['key']}?format=csv`, eve)).status).toBe(404);
  expect((await read(`${paths['organization']}?format=csv`, eve)).status).toBe(404);
  expect(await (await read('/api/me/calls?format=jsonl', eve)).text()).toBe('');
});

test('a file that would search too many calls is refused with 422, and a period of it is sent', async () => {
  const bob = await signUp(world, gateway, 'bob');
  await addCalls('account', bob.account_id, MAX_SEARCHED + 1);
  const path = '/api/me/calls?format=jsonl&outcome=refused';

  const refused = await read(path, bob);
  const sent = await read(`${path}&from=2026-01-14T23:00:00Z`, bob);

  const { errors } = (await refused.json()) as { errors: { code: string }[] };
  expect([refused.status, errors[0]!.code]).toEqual([422, 'too_large']);
  expect((await sent.text()).trimEnd().split('\n')).toHaveLength(1_200);
});
