import { askAs } from '../../support/people/organizations.ts';
import { ESCALATION, NOT_HELD, patch, post } from './demoted-grantor.ts';
import type { Grant, Grantor } from './demoted-grantor.ts';

const clientsOf = ({ path }: Grantor) => `${path}/oauth-clients`;
/** A client that acts by itself, and by default in no team. */
const draft = (fields: object) => ({
  ...{ name: 'Robot', type: 'confidential', grant_types: ['client_credentials'] },
  ...{ allowed_scopes: ['mcp_prompts'], team_ids: [] },
  ...fields,
});
const hybrid = {
  grant_types: ['authorization_code', 'client_credentials'],
  redirect_uris: ['https://robot.example/callback'],
};
const SCOPE = { allowed_scopes: ['read:organization_usage'] };
const CAPABILITY = { allowed_scopes: ['mcp_tools'] };
const TEAM_SCOPE = { allowed_scopes: ['read:team_usage'] };
const boundTo = ({ team }: Grantor) => ({ team_ids: [team.id] });

/** Registers a client as the Owner, who may give it everything, and returns its path. */
async function createAt(setup: Grantor, fields: object): Promise<string> {
  const created = await askAs<{ id: string }>(setup.owner, {
    path: clientsOf(setup),
    body: draft(fields),
  });
  if (created.status !== 201) throw new Error(`client: ${JSON.stringify(created.body)}`);
  return `${clientsOf(setup)}/${created.body.id}`;
}

/** Authority given to clients that act by themselves (SC4). */
export const clientGrants: readonly Grant[] = [
  [
    'registers a client with a scope',
    (setup) => () => post(setup.grantor, clientsOf(setup), draft(SCOPE)),
    NOT_HELD,
  ],
  [
    'registers a client with an mcp scope',
    (setup) => () => post(setup.grantor, clientsOf(setup), draft(CAPABILITY)),
    ESCALATION,
  ],
  [
    'adds a redirect URI to a hybrid client',
    async (setup) => {
      const client = await createAt(setup, { ...SCOPE, ...hybrid });
      return () => patch(setup.grantor, client, { redirect_uris: ['https://mine.example/'] });
    },
    NOT_HELD,
  ],
  [
    'lets a client act by itself',
    async (setup) => {
      const client = await createAt(setup, {
        ...{ ...SCOPE, ...hybrid },
        grant_types: ['authorization_code'],
      });
      return () => patch(setup.grantor, client, hybrid);
    },
    NOT_HELD,
  ],
  [
    'enables a disabled client',
    async (setup) => {
      const client = await createAt(setup, CAPABILITY);
      await patch(setup.owner, client, { disabled: true });
      return () => patch(setup.grantor, client, { disabled: false });
    },
    ESCALATION,
  ],
  [
    'gets a secret of a client',
    async (setup) => {
      const client = await createAt(setup, SCOPE);
      return () => post(setup.grantor, `${client}/secrets`, {});
    },
    NOT_HELD,
  ],
];

/** The same for a team permission, by a grantor who is demoted in the team. */
export const clientGrantsInTeam: readonly Grant[] = [
  [
    'registers a client that is bound to the team',
    (setup) => () =>
      post(setup.grantor, clientsOf(setup), draft({ ...TEAM_SCOPE, ...boundTo(setup) })),
    NOT_HELD,
  ],
  [
    'binds a client to the team',
    async (setup) => {
      const client = await createAt(setup, TEAM_SCOPE);
      return () => patch(setup.grantor, client, boundTo(setup));
    },
    NOT_HELD,
  ],
];
