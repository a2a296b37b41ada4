/** Errors of a client's fields. */
export const FIELD_ERRORS = [
  'empty_list',
  'grant_type_not_allowed',
  'pkce_required',
  'redirect_uri_not_allowed',
  'redirect_uri_required',
  'unknown_scope',
  'unknown_team',
] as const;

/** Errors of a client that acts by itself (SC4). */
export const AUTHORITY_ERRORS = ['capability_escalation', 'permission_not_held'] as const;
