import type { AgentPrincipal } from '../caller/principal.ts';

/** A credential as read from the primary. */
export interface Credential {
  /** The principal for MCP requests, in the account or organization where the credential works. */
  principal: AgentPrincipal;
  /**
   * Returns the principal for REST: in the person's account, and in the organization the request
   * names.
   */
  restPrincipal(): AgentPrincipal;
  /** Not revoked, not expired, and belongs to an active account. */
  usable: boolean;
  /**
   * The membership that still has seats in deleted teams; they must be removed before its
   * capabilities are computed. Null if there are no such seats.
   */
  membership_with_deleted_seats: string | null;
  /**
   * Whether its OAuth client has lost teams that it still has in OpenFGA; they must be taken from it
   * before its capabilities are computed.
   */
  has_teams_beyond_client: boolean;
  /** Its last recorded use is less than a minute old. */
  used_recently: boolean;
  /** When it was read, by the database's clock; absent unless it works only at some hours. */
  read_at?: Date;
}
