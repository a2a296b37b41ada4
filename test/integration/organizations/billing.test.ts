import { expect, test } from 'vitest';
import type { BillingRecord } from '../../../src/organizations/billing/schema.ts';
import { defaultPlans } from '../../../src/platform/config/plans.ts';
import { ADMIN, askAs, createOrganization, outcomeOf } from '../../support/people/organizations.ts';
import { goodPassword, newEmail, signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import { useTeams } from '../../support/worlds/use-teams.ts';

const teams = await useTeams();

const path = (id: string) => `/api/organizations/${id}/billing`;
const read = (who: SignedUp, id: string) => askAs<BillingRecord>(who, { path: path(id) });
const edit = (who: SignedUp, id: string, contact: unknown) =>
  askAs<BillingRecord>(who, { method: 'PATCH', path: path(id), body: { contact } });
const emptyContact = { name: null, email: null, address: null, tax_id: null };
const full = {
  name: 'Acme Incorporated',
  email: 'bills@example.com',
  address: 'Main Street 1\n12345 Springfield',
  tax_id: 'DE 123 456 789',
};

/** Creates an organization with an Admin. */
async function withAdmin() {
  const owner = await signUp(teams.world, teams.gateway, 'owner');
  const { id } = await createOrganization(owner);
  return { id, owner, admin: await teams.join(id, 'admin', [ADMIN]) };
}

test('billing shows the plan with its limits, and a contact that is empty at first', async () => {
  const { id, admin } = await withAdmin();
  const { organizations: _, ...limits } = defaultPlans.free;

  expect((await read(admin, id)).body).toEqual({ plan: 'free', limits, contact: emptyContact });

  await teams.gateway.service.organizations.setPlan(id, 'pro');
  const { plan, limits: now } = (await read(admin, id)).body;
  expect([plan, now.tool_calls]).toEqual(['pro', defaultPlans.pro.tool_calls]);
});

test('the Owner can change individual fields of the contact: omitted fields stay, and null clears a field', async () => {
  const { id, owner } = await withAdmin();
  const messy = { ...full, name: `  ${full.name} `, email: 'Bills@Example.COM' };

  expect((await edit(owner, id, messy)).body.contact).toEqual(full);
  expect((await edit(owner, id, { email: null })).body.contact).toEqual({ ...full, email: null });
  expect((await edit(owner, id, { name: 'Acme' })).body.contact).toEqual({
    ...{ ...full, name: 'Acme', email: null },
  });
  expect((await edit(owner, id, {})).status).toBe(200);
  expect((await read(owner, id)).body.contact.name).toBe('Acme');
});

test('only the Owner can change the contact, and not even the Owner can change the plan', async () => {
  const { id, owner, admin } = await withAdmin();

  expect(outcomeOf(await edit(admin, id, { name: 'Mine' }))).toEqual([403, 'permission_denied']);
  const request = { method: 'PATCH', path: path(id), body: { plan: 'enterprise', limits: {} } };
  expect((await askAs<BillingRecord>(owner, request)).body.plan).toBe('free');
  expect((await read(owner, id)).body).toMatchObject({ plan: 'free', contact: emptyContact });
});

test.each([
  ['an empty name', { name: ' ' }],
  ['an invisible character', { name: 'Ac\u200bme' }],
  ['a name of 201 characters', { name: 'a'.repeat(201) }],
  ['an invalid e-mail address', { email: 'nobody' }],
  ['an empty postal address', { address: '\n' }],
  ['a bidi override in the postal address', { address: 'Main\u202eteertS' }],
  ['a postal address of 1001 characters', { address: 'a'.repeat(1_001) }],
  ['a tax id of 65 characters', { tax_id: '1'.repeat(65) }],
  ['a tax id with a line break', { tax_id: '1\n2' }],
  ['a number', { tax_id: 7 }],
  ['a string instead of an object', 'Acme'],
])('%s is refused with a 400, and nothing is saved', async (_what, contact) => {
  const { id, owner } = await withAdmin();

  expect((await edit(owner, id, contact)).status).toBe(400);

  expect((await read(owner, id)).body.contact).toEqual(emptyContact);
});

test('concurrent edits of different fields are all kept', async () => {
  const { id, owner } = await withAdmin();

  await Promise.all(
    Object.entries(full).map(([name, value]) => edit(owner, id, { [name]: value })),
  );

  expect((await read(owner, id)).body.contact).toEqual(full);
});

test('the billing contact of a suspended organization can be read and changed', async () => {
  const { id, owner, admin } = await withAdmin();
  await teams.gateway.service.organizations.setStatus(id, 'suspended');

  expect((await edit(owner, id, full)).status).toBe(200);
  expect((await read(admin, id)).body.contact).toEqual(full);
});

test('the contact is only in the Owner’s export, and is erased with the organization', async () => {
  const { id, owner, admin } = await withAdmin();
  const email = newEmail();
  await edit(owner, id, { ...full, email });
  const exportOf = async (who: SignedUp) =>
    (await askAs<{ organizations: object[] }>(who, { path: '/api/user/export' })).body
      .organizations;

  expect(await exportOf(owner)).toMatchObject([{ billing_contact: { ...full, email } }]);
  expect(await exportOf(admin)).toMatchObject([{ billing_contact: null }]);

  const deletion = { method: 'DELETE', path: `/api/organizations/${id}` };
  await askAs(owner, { ...deletion, body: { confirm: 'Acme', current_password: goodPassword } });
  const remaining = () =>
    teams.world.query('SELECT name FROM organization_billing WHERE email = $1', [email]);
  await expect.poll(remaining, { timeout: 10_000 }).toEqual([]);
  const auditLog = await teams.world.query('SELECT detail::text FROM audit_event');
  expect(JSON.stringify(auditLog)).not.toContain(email);
});
