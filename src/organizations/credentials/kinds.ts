/** The credentials of one table: those of people, and those that belong to an organization. */
export interface CredentialTable {
  table: 'api_key' | 'oauth_connection';
  /** The table that binds them to teams. */
  bindings: 'api_key_team' | 'oauth_connection_team';
  /** The column of a binding that names the credential. */
  reference: 'key_id' | 'connection_id';
  /** The type of a person's credential in OpenFGA, and of its targets in the audit log. */
  personal: 'api_key' | 'connection';
  /** The type of an organization's credential. */
  service: 'org_key' | 'machine';
}

export const apiKeys: CredentialTable = {
  table: 'api_key',
  bindings: 'api_key_team',
  reference: 'key_id',
  personal: 'api_key',
  service: 'org_key',
};

export const oauthConnections: CredentialTable = {
  table: 'oauth_connection',
  bindings: 'oauth_connection_team',
  reference: 'connection_id',
  personal: 'connection',
  service: 'machine',
};

/** Returns what was found of each kind, in one list. */
export async function ofEachKind<Row>(
  find: (kind: CredentialTable) => Promise<readonly Row[]>,
): Promise<Row[]> {
  return [...(await find(apiKeys)), ...(await find(oauthConnections))];
}

/** The owner of a credential: a person, identified by their account, or an organization. */
export interface CredentialOwner {
  kind: 'account' | 'organization';
  id: string;
}

/** Identifies a credential that belongs to an organization and acts for no person: a service. */
export interface Service {
  id: string;
  organization_id: string;
}

/** The seat of a live service in a team. */
export interface ServiceSeat {
  organization_id: string;
  team_id: string;
  service_id: string;
}
