import { askAs } from '../../../support/people/organizations.ts';
import type { Errors } from '../../../support/people/organizations.ts';
import type { Answer, SignedUp } from '../../../support/people/people.ts';
import type { CreatedClient } from '../../../../src/oauth/clients/schema.ts';

export const OWN = '/api/me/oauth-clients';
export const clientsIn = (organization_id: string) =>
  `/api/organizations/${organization_id}/oauth-clients`;

/** A client that people authorize; it stores no secret. */
export const publicDraft = {
  ...{ name: 'Editor', type: 'public', grant_types: ['authorization_code', 'refresh_token'] },
  ...{ redirect_uris: ['http://localhost/callback'], allowed_scopes: ['mcp_tools'] },
};

/** A client of an organization that acts by itself, in no team. */
export const machineDraft = {
  ...{ name: 'Robot', type: 'confidential', grant_types: ['client_credentials'] },
  ...{ allowed_scopes: ['mcp_tools'], team_ids: [] as string[] | null },
};

/** Also people can authorize it. */
export const hybridDraft = {
  ...machineDraft,
  grant_types: ['authorization_code', 'client_credentials'],
  redirect_uris: ['https://robot.example/callback'],
};

export const register = (who: SignedUp, path: string, body: object) =>
  askAs<CreatedClient>(who, { path, body });

/** Registers a client, and throws if it is refused. */
export async function registered(who: SignedUp, path: string, body: object = publicDraft) {
  const created = await register(who, path, body);
  if (created.status !== 201) throw new Error(`client: ${JSON.stringify(created.body)}`);
  return { ...created.body, path: `${path}/${created.body.id}` };
}

export const edit = (who: SignedUp, path: string, body: object) =>
  askAs<CreatedClient>(who, { method: 'PATCH', path, body });

/** Returns the status, and the code and pointer of each error in a response. */
export const faults = ({ status, body }: Answer<Errors>) => [
  status,
  ...(body.errors ?? []).map(({ code, detail }) =>
    [code, (detail as { pointer?: string } | null)?.pointer].join(' ').trim(),
  ),
];
