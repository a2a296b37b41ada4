import pg from 'pg';
import { expect, test } from 'vitest';
import type { Action } from '../../../src/caller/actions.ts';
import { createDnsServer } from '../../support/servers/dns-server.ts';
import { createOpenIdServer } from '../../support/people/openid-server.ts';
import { ownAddresses } from '../../support/people/people.ts';
import { untilWaiting } from '../../support/worlds/interleaved.ts';
import { closeAfterTests } from '../../support/worlds/close-after-tests.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';
import { acts, prepare } from './acts.ts';
import { readAll } from './every-row.ts';

const provider = await closeAfterTests(createOpenIdServer());
const dns = await closeAfterTests(createDnsServer());
const { world, gateway } = await useGateway({
  ...ownAddresses,
  ...provider.env,
  DNS_SERVERS: dns.address,
});

/**
 * Actions that Ada's session does not perform: public forms, links, sign-ins and their pages, other
 * people, directories, operators. And refused attempts, and signing out of an ended session.
 */
const NOT_BY_THE_SESSION: ReadonlySet<string> = new Set([
  'account.activate',
  'account.create',
  'account.deactivate',
  'account.plan',
  'account.verify',
  'connection.replay',
  'custom_tool.hold',
  'email.change',
  'email.undo',
  'identity.link',
  'member.deactivate',
  'member.join',
  'member.leave',
  'organization.activate',
  'organization.plan',
  'organization.suspend',
  'password.reset',
  'presence.refuse',
  'prompt.hold',
  'recovery_codes.use',
  'resource.hold',
  'scim_group.update',
  'scim_user.create',
  'scim_user.delete',
  'scim_user.update',
  'session.challenge',
  'session.create',
  'session.end',
  'session.refuse',
  'sso_connection.test',
  'team_member.leave',
]);

/** Ends the session while the request runs: it is authenticated before, and commits after. */
async function askWhileEnding<Answer>(session: string, ask: () => Promise<Answer>) {
  const client = new pg.Client({ connectionString: world.env['DATABASE_URL']! });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('UPDATE account_session SET revoked_at = now() WHERE id = $1', [session]);
    // In an object, since the request ends only once the session has ended.
    const running = { answer: ask() };
    await Promise.race([running.answer, untilWaiting(world, 1)]);
    await client.query('COMMIT');
    return await running.answer;
  } finally {
    await client.end();
  }
}

async function readOthers(): Promise<Record<string, string>> {
  const { account_session: _ended, ...rows } = await readAll(world);
  return rows;
}

test.each((Object.keys(acts) as Action[]).filter((name) => !NOT_BY_THE_SESSION.has(name)))(
  '%s in a session that ends before the commit gets 401 and changes nothing',
  async (name) => {
    const prepared = await prepare({ world, gateway, provider, dns }, acts[name]!);
    const before = await readOthers();

    const { status } = await askWhileEnding(prepared.session, prepared.ask);

    expect(status).toBe(401);
    expect(await readOthers()).toEqual(before);
  },
);
