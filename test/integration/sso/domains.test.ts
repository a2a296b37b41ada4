import { expect, test } from 'vitest';
import type { DomainRecord } from '../../../src/sso/domains/schema.ts';
import { askPresent, createOrganization, outcomeOf } from '../../support/people/organizations.ts';
import { signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';
import { createDnsServer } from '../../support/servers/dns-server.ts';

const dns = await closeAfterTests(createDnsServer());
const teams = await useTeams({ DNS_SERVERS: dns.address });

async function createEnterprise() {
  const owner = await signUp(teams.world, teams.gateway, 'owner');
  const { id } = await createOrganization(owner);
  await teams.gateway.service.organizations.setPlan(id, 'enterprise');
  const path = `/api/organizations/${id}/sso/domains`;
  return {
    ...{ id, owner, path },
    claim: (domain: string, who: SignedUp = owner) =>
      askPresent<DomainRecord>(who, { path, body: { domain } }),
    verify: (domain: string, who: SignedUp = owner) =>
      askPresent<DomainRecord>(who, { method: 'POST', path: `${path}/${domain}/verify` }),
    remove: (domain: string) => askPresent(owner, { method: 'DELETE', path: `${path}/${domain}` }),
  };
}

const publish = ({ txt_name, txt_value }: DomainRecord, parts: string[] = [txt_value]) =>
  dns.records.set(txt_name, [['v=spf1 -all'], parts]);

test('a domain is verified by its TXT record, whose parts are joined, and stays verified', async () => {
  const acme = await createEnterprise();
  const claimed = await acme.claim('Bücher.Example');

  expect(claimed.status).toBe(201);
  expect(claimed.body).toMatchObject({
    domain: 'xn--bcher-kva.example',
    txt_name: '_toolgate.xn--bcher-kva.example',
    verified_at: null,
  });
  const { domain, txt_value } = claimed.body;
  const missing = await acme.verify(domain);
  expect(outcomeOf(missing)).toEqual([422, 'txt_not_found']);

  dns.records.set(claimed.body.txt_name, [[`${txt_value}x`]]);
  expect(outcomeOf(await acme.verify(domain))).toEqual([422, 'txt_not_found']);

  publish(claimed.body, [txt_value.slice(0, 30), txt_value.slice(30)]);
  const verified = await acme.verify(domain);
  expect(verified.body.verified_at).toEqual(expect.any(String));

  dns.records.clear();
  expect((await acme.verify(domain)).body).toEqual(verified.body);
  expect((await askPresent(acme.owner, { path: acme.path })).body).toEqual({
    data: [verified.body],
    next_cursor: null,
  });
});

test('one of the organizations that claim a domain verifies it; the others get domain_taken until it is given up', async () => {
  const [acme, other] = [await createEnterprise(), await createEnterprise()];
  const [ours, theirs] = [await acme.claim('raced.example'), await other.claim('raced.example')];
  expect(ours.body.txt_value).not.toBe(theirs.body.txt_value);
  dns.records.set(ours.body.txt_name, [[ours.body.txt_value], [theirs.body.txt_value]]);

  const outcomes = await Promise.all(
    [acme, other].map(async (one) => outcomeOf(await one.verify('raced.example'))),
  );

  expect(outcomes.toSorted(([one], [next]) => Number(one) - Number(next))).toEqual([
    [200],
    [422, 'domain_taken'],
  ]);
  const winner = outcomes[0]![0] === 200 ? acme : other;
  const loser = winner === acme ? other : acme;
  expect(outcomeOf(await loser.verify('raced.example'))).toEqual([422, 'domain_taken']);
  expect((await winner.remove('raced.example')).status).toBe(204);
  expect((await loser.verify('raced.example')).status).toBe(200);
});

test('an organization cannot claim what is no domain, a domain twice, or any below Enterprise, where the list stays readable', async () => {
  const acme = await createEnterprise();
  for (const domain of ['com', 'a b.example', 'ada@example.com', '127.0.0.1', 'x_y.example'])
    expect(outcomeOf(await acme.claim(domain))).toEqual([400, 'invalid_domain']);
  await acme.claim('twice.example');
  expect(outcomeOf(await acme.claim('twice.example'))).toEqual([409, 'domain_exists']);
  expect(outcomeOf(await acme.verify('unknown.example'))).toEqual([404, 'not_found']);
  expect(outcomeOf(await acme.remove('unknown.example'))).toEqual([404, 'not_found']);

  await teams.gateway.service.organizations.setPlan(acme.id, 'pro');
  for (const refused of [
    await acme.claim('more.example'),
    await acme.verify('twice.example'),
    await acme.remove('twice.example'),
  ])
    expect(outcomeOf(refused)).toEqual([422, 'plan_required']);
  const list = await askPresent<{ data: DomainRecord[] }>(acme.owner, { path: acme.path });
  expect(list.body.data.map(({ domain }) => domain)).toEqual(['twice.example']);
});

test('without an answer of the name server nothing is verified, and the request may be repeated', async () => {
  const acme = await createEnterprise();
  const claimed = await acme.claim('silent.example');
  publish(claimed.body);
  dns.isSilent = true;
  const { person, bearer } = acme.owner;
  const asked = await person.ask<{ errors: { code: string }[] }>({
    method: 'POST',
    path: `${acme.path}/silent.example/verify`,
    body: { current_password: acme.owner.password },
    headers: bearer,
  });
  dns.isSilent = false;

  expect([asked.status, asked.body.errors[0]?.code]).toEqual([503, 'service_unavailable']);
  expect((await acme.verify('silent.example')).status).toBe(200);
});
