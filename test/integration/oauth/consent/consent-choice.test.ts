import fc from 'fast-check';
import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { scopeClosure } from '../../../../src/authz/permissions.ts';
import { texts } from '../../../../src/texts/texts.ts';
import { EVERY_TEAM, expected, ORGANIZATION, TEAM } from '../../../support/access/scopes.ts';
import { createApplication, linkTo } from '../../../support/people/application.ts';
import { describeInBrowser, openTab } from '../../../support/people/browser.ts';
import { createOAuthPeer, insertClient } from '../../../support/people/oauth.ts';
import type { TestClient } from '../../../support/people/oauth.ts';
import {
  createJoins,
  createOrganization,
  createRole,
  MEMBER,
} from '../../../support/people/organizations.ts';
import { ownAddresses, signUp } from '../../../support/people/people.ts';
import type { SignedUp } from '../../../support/people/people.ts';
import { createTeam } from '../../../support/people/teams.ts';
import { closeAfterTests } from '../../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);
const peer = createOAuthPeer(gateway);
const joins = await closeAfterTests(createJoins(gateway));
const application = await closeAfterTests(createApplication());
const owner = await signUp(world, gateway, 'owner');
const acme = (await createOrganization(owner)).id;
const red = (await createTeam(owner, acme, 'red')).id;

async function join(name: string, role_ids: string[] = [MEMBER]): Promise<SignedUp> {
  const person = await signUp(world, gateway, name);
  await joins.add(acme, person, role_ids);
  return person;
}

/** Registers a client; its scopes are stored with those that they imply. */
const register = (scopes: readonly string[], team_ids: readonly string[] | null = [red]) =>
  insertClient(world, {
    ...{ owner: { organization_id: acme }, scopes: scopeClosure(scopes), team_ids },
    redirect_uris: [application.redirect_uri],
  });

async function grantedTo({ id }: TestClient): Promise<string[]> {
  const rows = await world.query<{ scopes: string[] }>(
    'SELECT scopes FROM oauth_connection WHERE client_id = $1',
    [id],
  );
  return rows.flatMap(({ scopes }) => scopes).toSorted();
}

/** Posts the page's form as a browser without scripts does. */
async function post(
  { uid, cookie }: { uid: string; cookie: string },
  who: SignedUp,
  fields: [string, string][],
) {
  const session = [...who.cookies].map(([name, value]) => `${name}=${value}`);
  const response = await fetch(`${gateway.url}/oauth/consent/${uid}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: [cookie, ...session].join('; '), origin: gateway.config.PUBLIC_URL },
    body: new URLSearchParams([['action', 'allow'], ['account', who.account_id], ...fields]),
  });
  return { status: response.status, body: await response.text() };
}
const asFields = (scopes: readonly string[]) =>
  [...scopes.map((name) => ['scope', name]), ['team', red]] as [string, string][];

const BROAD = ['write:team_policies', 'create:organization_keys', 'mcp_tools'];
const LEFT_OUT = [
  'read:team_agent_policies',
  'write:team_agent_policies',
  'read:organization_keys',
];

test.each(['form', 'json'] as const)(
  'a broad scope does not bring back the parts that a person left out of it, not in a token and not at a route (%s)',
  async (kind) => {
    const client = await register(BROAD);
    const chosen = client.scopes.filter((name) => !LEFT_OUT.includes(name));
    const started = await peer.start(client);
    let to = `http://x/oauth/authorize/${started.uid}`;
    if (kind === 'form') expect((await post(started, owner, asFields(chosen))).status).toBe(200);
    else {
      const { status, body } = await peer.decide(started, owner, { allow: true, scopes: chosen });
      expect([status, body.errors]).toEqual([200, undefined]);
      ({ to } = body);
    }
    const { params } = await peer.finish(started, to);
    const grant = { code: params['code']!, code_verifier: started.verifier };
    const tokens = (await peer.exchange(client, grant)).body;

    const kept = ['resource', 'tool', 'prompt'].flatMap((family) =>
      ['read', 'write'].map((verb) => `${verb}:team_${family}_policies`),
    );
    const rest = ['mcp_tools', 'read:team_policies', ...kept];
    // Without its view of agents, `read:team_policies` is left out as well.
    const granted = rest.filter((name) => name !== 'read:team_policies').toSorted();
    expect(await grantedTo(client)).toEqual(granted);
    expect(tokens['scope']!.split(' ').toSorted()).toEqual(granted);
    const renewed = (await peer.refresh(client, tokens['refresh_token']!)).body;
    expect(renewed['scope']!.split(' ').toSorted()).toEqual(granted);

    const path = `/api/organizations/${acme}`;
    const statusOf = async (below: string, body?: object) => {
      const headers = { authorization: `Bearer ${renewed['access_token']}` };
      const method = body === undefined ? 'GET' : 'PUT';
      const request = { method, path: `${path}${below}`, headers, ...(body ? { body } : {}) };
      return (await owner.person.ask(request)).status;
    };
    expect([
      await statusOf('/keys'),
      await statusOf(`/teams/${red}/policies/agent`),
      await statusOf(`/teams/${red}/policies/agent`, { mode: 'all' }),
      await statusOf(`/teams/${red}/policies/tool`),
    ]).toEqual([403, 403, 403, 200]);
  },
);

test('what is granted is exactly what was chosen, without the scopes of which a part was left out (SC1, SC3)', async () => {
  const requests = fc
    .subarray([...ORGANIZATION], { minLength: 1, maxLength: 12 })
    .chain((named) => {
      const requested = scopeClosure(named);
      return fc.record({
        requested: fc.constant(requested),
        leftOut: fc.subarray(requested, { maxLength: Math.min(4, requested.length) }),
        isForm: fc.boolean(),
      });
    });
  await fc.assert(
    fc.asyncProperty(requests, async ({ requested, leftOut, isForm }) => {
      const client = await register(requested);
      const chosen = requested.filter((name) => !leftOut.includes(name));
      const started = await peer.start(client);
      const { status } = isForm
        ? await post(started, owner, asFields(chosen))
        : await peer.decide(started, owner, { allow: true, scopes: chosen });
      const granted = expected(chosen, requested);
      expect([status, await grantedTo(client)]).toEqual([
        granted.length === 0 ? 422 : 200,
        granted,
      ]);
    }),
    {
      numRuns: 30,
      examples: [
        [
          {
            requested: [EVERY_TEAM, 'read:team_usage'],
            leftOut: ['read:team_usage'],
            isForm: true,
          },
        ],
        [{ requested: scopeClosure([EVERY_TEAM]), leftOut: [], isForm: true }],
        [{ requested: [...ORGANIZATION], leftOut: ['read:team_usage'], isForm: false }],
        [{ requested: [...ORGANIZATION], leftOut: [], isForm: false }],
      ],
    },
  );
}, 120_000);

test('the page does not offer a scope that the person does not hold; a decision may grant it, and it works once they hold it (SC4)', async () => {
  const role = await createRole(owner, acme, {
    ...{ name: 'Readers', permissions: ['can_view_organization_roles'] },
    capabilities: [],
  });
  const member = await join('member');
  const client = await register(['read:organization_roles', 'read:organization_members']);
  const started = await peer.start(client);

  const own = [...member.cookies].map(([name, value]) => `${name}=${value}`);
  const shown = await fetch(`${gateway.url}/oauth/consent/${started.uid}/request`, {
    headers: { cookie: [started.cookie, ...own].join('; ') },
  });
  const { scopes } = (await shown.json()) as { scopes: { name: string; available: boolean }[] };
  expect(new Map(scopes.map(({ name, available }) => [name, available]))).toEqual(
    new Map([
      ['read:organization_members', false],
      ['read:organization_roles', false],
    ]),
  );
  const decided = await peer.decide(started, member);
  const { params } = await peer.finish(started, decided.body.to);
  const exchanged = { code: params['code']!, code_verifier: started.verifier };
  const { body: tokens } = await peer.exchange(client, exchanged);
  const rolesAs = async () => {
    const headers = { authorization: `Bearer ${tokens['access_token']}` };
    const path = `/api/organizations/${acme}/roles`;
    return (await member.person.ask({ path, headers })).status;
  };

  expect(await rolesAs()).toBe(403);
  await owner.person.ask({
    ...{ method: 'PATCH', path: `/api/organizations/${acme}/members/${member.account_id}` },
    ...{ headers: owner.bearer, body: { role_ids: [MEMBER, role.id] } },
  });
  expect(await rolesAs()).toBe(200);
});

async function openSignedIn(browser: Browser) {
  const { context, page } = await openTab(browser, { javaScriptEnabled: false });
  const url = gateway.config.PUBLIC_URL;
  await context.addCookies([...owner.cookies].map(([name, value]) => ({ name, value, url })));
  return page;
}

describeInBrowser('in Chromium without JavaScript', (browser) => {
  test('what the page shows as ticked when Allow is pressed is exactly what is granted', async () => {
    const words = texts.en.oauth;
    const page = await openSignedIn(browser());
    const scopes = page.locator('input[name=scope]');
    /** Opens every group, so that all that is shown is visible. */
    const open = async () => {
      for (const one of await page.locator('details:not([open]) > summary').all())
        await one.click();
    };
    const shown = async () => {
      const ticked = page.locator('input[name=scope]:checked:visible');
      return (
        await ticked.evaluateAll<string[], { value: string }>((all) =>
          all.map(({ value }) => value),
        )
      ).toSorted();
    };
    const samples = fc.sample(
      fc.record({
        requested: fc.subarray([...BROAD, EVERY_TEAM, ...TEAM, 'mcp_agents'], { minLength: 2 }),
        presses: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
      }),
      { numRuns: 5, seed: 7 },
    );
    for (const { requested, presses } of samples) {
      const client = await register(requested);
      await page.goto(linkTo(gateway, client));
      await open();
      expect(await shown()).toEqual([...client.scopes].toSorted());
      for (const press of presses) {
        const box = scopes.nth(press % (await scopes.count()));
        if (await box.isVisible()) await box.click();
      }
      const ticked = await shown();
      if (ticked.length === 0) continue;
      await page.getByRole('button', { name: words.allow, exact: true }).click();
      await page.waitForURL(`${application.redirect_uri}?**`);
      expect(await grantedTo(client)).toEqual(ticked);
    }
  }, 120_000);

  test('a broad scope is shown as off, with the reason, while a part of it is left out', async () => {
    const words = texts.en.oauth;
    const page = await openSignedIn(browser());
    await page.goto(linkTo(gateway, await register(['create:organization_keys'])));
    const keys = page.getByRole('group', { name: words.nouns.keys });
    expect(await page.getByText(words.left_out).isVisible()).toBe(false);
    await keys.getByLabel(words.verbs.read).uncheck();
    expect(await page.getByText(words.left_out).isVisible()).toBe(true);
    expect(await keys.getByLabel(words.verbs.create).isVisible()).toBe(false);
    await keys.getByLabel(words.verbs.read).check();
    expect(await keys.getByLabel(words.verbs.create).isChecked()).toBe(true);
  });
});
