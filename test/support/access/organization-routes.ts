import { below } from './table.ts';

/** Routes of an organization, its catalog and its members' own spaces. */
export const organizationRoutes = below(
  '/api/organizations/{organization_id}',
  `
  GET    .                                           can_view_organization                  any
  PATCH  .                                           can_update_organization                any
  DELETE .                                           can_delete_organization                session
  POST   /transfer-ownership                         can_transfer_organization_ownership    session
  GET    /billing                                    can_view_organization_billing          any
  PATCH  /billing                                    can_update_organization_billing        session
  GET    /audit                                      can_view_organization_audit            any
  GET    /members/{account_id}/access                can_view_organization_audit            any
  GET    /keys/{key_id}/access                       can_view_organization_audit            any
  GET    /connections/{connection_id}/access         can_view_organization_audit            any
  GET    /roles/{role_id}/access                     can_view_organization_audit            any
  GET    /teams/{team_id}/access                     can_view_organization_audit            any
  GET    /access/permissions/{permission}            can_view_organization_audit            any
  GET    /access/items/{family}/{item_id}            can_view_organization_audit            any
  POST   /access/explain                             can_view_organization_audit            any
  POST   /access/diff                                can_view_organization_audit            any
  GET    /access/reviews                             can_view_organization_audit            any
  POST   /access/reviews                             can_view_organization_audit            any
  GET    /access/reviews/{review_id}                 can_view_organization_audit            any
  PATCH  /access/reviews/{review_id}                 can_view_organization_audit            any
  GET    /access/reviews/{review_id}/entries         can_view_organization_audit            any
  PATCH  /access/reviews/{review_id}/entries/{entry_id} can_view_organization_audit         any
  POST   /access/reviews/{review_id}/apply           can_view_organization_audit            session
  POST   /access/reviews/{review_id}/apply/preview   can_view_organization_audit            session
  GET    /access/review-settings                     can_view_organization_audit            any
  PUT    /access/review-settings                     can_view_organization_audit            any
  GET    /access/decisions                           can_view_organization_audit            any
  GET    /access/unused                              can_view_organization_audit            any
  GET    /calls                                      can_view_organization_usage            any
  GET    /usage                                      can_view_organization_usage            any
  GET    /usage/daily                                can_view_organization_usage            any
  GET    /mcp-settings                               can_view_organization_mcp_settings     any
  PUT    /mcp-settings                               can_update_organization_mcp_settings   any
  POST   /mcp-settings/preview                       can_update_organization_mcp_settings   session
  GET    /catalog/prompts                            member                                 any
  GET    /catalog/tools                              member                                 any

  GET    /members                                    can_view_organization_members          any
  GET    /members/{account_id}                       can_view_organization_members          any
  PATCH  /members/{account_id}                       can_update_organization_members        any
  POST   /members/{account_id}/preview               can_update_organization_members        session
  DELETE /members/{account_id}                       can_remove_organization_members        any
  GET    /members/{account_id}/credentials           can_view_organization_api_keys+can_view_organization_members  session
  DELETE /members/{account_id}/credentials/{kind}/{id} can_revoke_organization_api_keys     session
  GET    /invitations                                can_view_organization_members          any
  POST   /invitations                                can_invite_organization_members        person
  DELETE /invitations/{invitation_id}                can_invite_organization_members        any
  POST   /invitations/{invitation_id}/resend         can_invite_organization_members        person

  GET    /sso/scim-tokens                            can_view_organization_sso              any
  POST   /sso/scim-tokens                            can_update_organization_sso            session
  DELETE /sso/scim-tokens/{token_id}                 can_update_organization_sso            session

  GET    /roles                                      can_view_organization_roles            any
  POST   /roles                                      can_create_organization_roles          any
  GET    /roles/{role_id}                            can_view_organization_roles            any
  PATCH  /roles/{role_id}                            can_update_organization_roles          any
  DELETE /roles/{role_id}                            can_delete_organization_roles          any
  POST   /roles/{role_id}/preview                    can_update_organization_roles          session
  GET    /team-roles                                 can_view_organization_team_roles       any
  POST   /team-roles                                 can_create_organization_team_roles     any
  GET    /team-roles/{role_id}                       can_view_organization_team_roles       any
  PATCH  /team-roles/{role_id}                       can_update_organization_team_roles     any
  DELETE /team-roles/{role_id}                       can_delete_organization_team_roles     any
  GET    /teams                                      member                                 any
  POST   /teams                                      can_update_organization_teams          any

  GET    /keys                                       can_view_organization_api_keys         any
  POST   /keys                                       can_create_organization_api_keys       token
  POST   /keys/preview                               can_create_organization_api_keys       session
  GET    /keys/{key_id}                              can_view_organization_api_keys         any
  PATCH  /keys/{key_id}                              can_update_organization_api_keys       token
  DELETE /keys/{key_id}                              can_revoke_organization_api_keys       token
  GET    /keys/{key_id}/preview                      can_view_organization_api_keys         session
  POST   /keys/{key_id}/preview                      can_update_organization_api_keys       session
  GET    /keys/{key_id}/explain                      can_view_organization_api_keys         session

  GET    /sso                                        can_view_organization_sso              any
  PATCH  /sso                                        can_update_organization_sso            session
  GET    /sso/connections                            can_view_organization_sso              any
  POST   /sso/connections                            can_update_organization_sso            session
  GET    /sso/connections/{connection_id}            can_view_organization_sso              any
  PATCH  /sso/connections/{connection_id}            can_update_organization_sso            session
  DELETE /sso/connections/{connection_id}            can_update_organization_sso            session
  DELETE /sso/connections/{connection_id}/links/{account_id} can_update_organization_sso    session
  POST   /sso/connections/{connection_id}/test       can_update_organization_sso            session
  GET    /sso/domains                                can_view_organization_sso              any
  POST   /sso/domains                                can_update_organization_sso            session
  POST   /sso/domains/{domain}/verify                can_update_organization_sso            session
  DELETE /sso/domains/{domain}                       can_update_organization_sso            session

  GET    /oauth-clients                              can_view_organization_oauth_clients    any
  POST   /oauth-clients                              can_create_organization_oauth_clients  session
  GET    /oauth-clients/{client_id}                  can_view_organization_oauth_clients    any
  PATCH  /oauth-clients/{client_id}                  can_update_organization_oauth_clients  any
  DELETE /oauth-clients/{client_id}                  can_delete_organization_oauth_clients  any
  POST   /oauth-clients/{client_id}/secrets          can_update_organization_oauth_clients  session
  DELETE /oauth-clients/{client_id}/secrets/{secret_id} can_update_organization_oauth_clients any

  GET    /connections                                can_view_organization_oauth_clients    any
  PATCH  /connections/{connection_id}                can_update_organization_oauth_clients  any
  DELETE /connections/{connection_id}                can_delete_organization_oauth_clients  any
  GET    /connections/{connection_id}/preview        can_view_organization_oauth_clients    session
  GET    /connections/{connection_id}/explain        can_view_organization_oauth_clients    session

  GET    /resources                                  can_view_organization_resources        any
  POST   /resources                                  can_create_organization_resources      any
  GET    /resources/{id}                             can_view_organization_resources        any
  PATCH  /resources/{id}                             can_update_organization_resources      any
  DELETE /resources/{id}                             can_delete_organization_resources      any
  GET    /resources/{id}/versions                    can_view_organization_resources        any
  GET    /resources/{id}/uses                        can_view_organization_resources        any
  GET    /resources/{id}/versions/{version}          can_view_organization_resources        any
  POST   /resources/{id}/versions/{version}/restore  can_update_organization_resources      any

  GET    /prompts                                    can_view_organization_prompts          any
  POST   /prompts                                    can_create_organization_prompts        any
  GET    /prompts/scopable                           can_view_organization_prompts          any
  GET    /prompts/{id}                               can_view_organization_prompts          any
  PATCH  /prompts/{id}                               can_update_organization_prompts        any
  DELETE /prompts/{id}                               can_delete_organization_prompts        any
  GET    /prompts/{id}/versions                      can_view_organization_prompts          any
  GET    /prompts/{id}/uses                          can_view_organization_prompts          any
  GET    /prompts/{id}/versions/{version}            can_view_organization_prompts          any
  POST   /prompts/{id}/versions/{version}/restore    can_update_organization_prompts        any

  GET    /agents                                     can_view_organization_agents           any
  POST   /agents                                     can_create_organization_agents         any
  GET    /agents/{id}                                can_view_organization_agents           any
  PATCH  /agents/{id}                                can_update_organization_agents         any
  DELETE /agents/{id}                                can_delete_organization_agents         any
  GET    /agents/{id}/versions                       can_view_organization_agents           any
  GET    /agents/{id}/uses                           can_view_organization_agents           any
  POST   /agents/{id}/bootstrap                      can_view_organization_agents           session
  GET    /agents/{id}/versions/{version}             can_view_organization_agents           any
  POST   /agents/{id}/versions/{version}/restore     can_update_organization_agents         any

  GET    /custom-tools                               can_view_organization_tools            any
  POST   /custom-tools                               can_create_organization_tools          any
  POST   /custom-tools/import                        can_create_organization_tools          any
  GET    /custom-tools/scopable                      can_view_organization_tools            any
  GET    /custom-tools/{id}                          can_view_organization_tools            any
  PATCH  /custom-tools/{id}                          can_update_organization_tools          any
  DELETE /custom-tools/{id}                          can_delete_organization_tools          any
  POST   /custom-tools/{id}/approve                  can_update_organization_tools          any
  GET    /custom-tools/{id}/versions                 can_view_organization_tools            any
  GET    /custom-tools/{id}/uses                     can_view_organization_tools            any
  GET    /custom-tools/{id}/versions/{version}       can_view_organization_tools            any
  POST   /custom-tools/{id}/versions/{version}/restore can_update_organization_tools        any
  GET    /upstreams                                  can_view_organization_tools            any
  POST   /upstreams                                  can_create_organization_tools          any
  GET    /upstreams/{id}                             can_view_organization_tools            any
  PATCH  /upstreams/{id}                             can_update_organization_tools          any
  DELETE /upstreams/{id}                             can_delete_organization_tools          any
  GET    /upstreams/{id}/tools                       can_view_organization_tools            any
  POST   /upstreams/import                           can_create_organization_tools          any
  POST   /upstreams/{id}/import                      can_create_organization_tools          any
  GET    /upstreams/{id}/changes                     can_view_organization_tools            any
  POST   /upstreams/{id}/changes/approve             can_update_organization_tools          any
  POST   /upstreams/{id}/connect                     member                                 session
  GET    /upstreams/{id}/connection                  member                                 session
  PUT    /upstreams/{id}/connection                  member                                 session
  DELETE /upstreams/{id}/connection                  member                                 session
  POST   /upstreams/{id}/approve-issuer              can_update_organization_tools          session
`,
);

/** Routes of a member's own space in an organization; keys and tokens use it only over MCP. */
export const memberRoutes = below(
  '/api/organizations/{organization_id}/me',
  `
  GET    /resources                                  own-me  session
  POST   /resources                                  own-me  session
  GET    /resources/{id}                             own-me  session
  PATCH  /resources/{id}                             own-me  session
  DELETE /resources/{id}                             own-me  session
  GET    /resources/{id}/versions                    own-me  session
  GET    /resources/{id}/uses                        own-me  session
  GET    /resources/{id}/versions/{version}          own-me  session
  POST   /resources/{id}/versions/{version}/restore  own-me  session

  GET    /prompts                                    own-me  session
  POST   /prompts                                    own-me  session
  GET    /prompts/scopable                           own-me  session
  GET    /prompts/{id}                               own-me  session
  PATCH  /prompts/{id}                               own-me  session
  DELETE /prompts/{id}                               own-me  session
  GET    /prompts/{id}/versions                      own-me  session
  GET    /prompts/{id}/uses                          own-me  session
  GET    /prompts/{id}/versions/{version}            own-me  session
  POST   /prompts/{id}/versions/{version}/restore    own-me  session

  GET    /agents                                     own-me  session
  POST   /agents                                     own-me  session
  GET    /agents/{id}                                own-me  session
  PATCH  /agents/{id}                                own-me  session
  DELETE /agents/{id}                                own-me  session
  GET    /agents/{id}/versions                       own-me  session
  GET    /agents/{id}/uses                           own-me  session
  POST   /agents/{id}/bootstrap                      own-me  session
  GET    /agents/{id}/versions/{version}             own-me  session
  POST   /agents/{id}/versions/{version}/restore     own-me  session

  GET    /custom-tools                               own-me  session
  POST   /custom-tools                               own-me  session
  POST   /custom-tools/import                        own-me  session
  GET    /custom-tools/scopable                      own-me  session
  GET    /custom-tools/{id}                          own-me  session
  PATCH  /custom-tools/{id}                          own-me  session
  DELETE /custom-tools/{id}                          own-me  session
  POST   /custom-tools/{id}/approve                  own-me  session
  GET    /custom-tools/{id}/versions                 own-me  session
  GET    /custom-tools/{id}/uses                     own-me  session
  GET    /custom-tools/{id}/versions/{version}       own-me  session
  POST   /custom-tools/{id}/versions/{version}/restore own-me session
  GET    /upstreams                                  own-me  session
  POST   /upstreams                                  own-me  session
  GET    /upstreams/{id}                             own-me  session
  PATCH  /upstreams/{id}                             own-me  session
  DELETE /upstreams/{id}                             own-me  session
  GET    /upstreams/{id}/tools                       own-me  session
  POST   /upstreams/import                           own-me  session
  POST   /upstreams/{id}/import                      own-me  session
  GET    /upstreams/{id}/changes                     own-me  session
  POST   /upstreams/{id}/changes/approve             own-me  session
  POST   /upstreams/{id}/connect                      own-me  session
  GET    /upstreams/{id}/connection                   own-me  session
  PUT    /upstreams/{id}/connection                   own-me  session
  DELETE /upstreams/{id}/connection                   own-me  session
  POST   /upstreams/{id}/approve-issuer               own-me  session
`,
);
