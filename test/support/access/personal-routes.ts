import { below } from './table.ts';

/** Routes of a personal space. */
export const personalRoutes = below(
  '/api',
  `
  GET    /catalog/prompts                               some-grant            any
  GET    /catalog/tools                                 some-grant            any
  GET    /me/dashboard                                  can_view_dashboard    any
  GET    /me/mcp-settings                               read:mcp_settings     any
  PUT    /me/mcp-settings                               write:mcp_settings    any
  GET    /me/settings                                   can_update_settings   any
  PATCH  /me/settings                                   can_update_settings   any
  GET    /me/usage                                      can_view_usage        any
  GET    /me/usage/daily                                can_view_usage        any

  GET    /me/resources                                  can_view_resources    any
  POST   /me/resources                                  can_create_resources  any
  GET    /me/resources/{id}                             can_view_resources    any
  PATCH  /me/resources/{id}                             can_update_resources  any
  DELETE /me/resources/{id}                             can_delete_resources  any
  GET    /me/resources/{id}/versions                    can_view_resources    any
  GET    /me/resources/{id}/uses                        can_view_resources    any
  GET    /me/resources/{id}/versions/{version}          can_view_resources    any
  POST   /me/resources/{id}/versions/{version}/restore  can_update_resources  any

  GET    /me/prompts                                    can_view_prompts      any
  POST   /me/prompts                                    can_create_prompts    any
  GET    /me/prompts/scopable                           can_view_prompts      any
  GET    /me/prompts/{id}                               can_view_prompts      any
  PATCH  /me/prompts/{id}                               can_update_prompts    any
  DELETE /me/prompts/{id}                               can_delete_prompts    any
  GET    /me/prompts/{id}/versions                      can_view_prompts      any
  GET    /me/prompts/{id}/uses                          can_view_prompts      any
  GET    /me/prompts/{id}/versions/{version}            can_view_prompts      any
  POST   /me/prompts/{id}/versions/{version}/restore    can_update_prompts    any

  GET    /me/agents                                     can_view_agents       any
  POST   /me/agents                                     can_create_agents     any
  GET    /me/agents/{id}                                can_view_agents       any
  PATCH  /me/agents/{id}                                can_update_agents     any
  DELETE /me/agents/{id}                                can_delete_agents     any
  GET    /me/agents/{id}/versions                       can_view_agents       any
  GET    /me/agents/{id}/uses                           can_view_agents       any
  GET    /me/agents/{id}/versions/{version}             can_view_agents       any
  POST   /me/agents/{id}/versions/{version}/restore     can_update_agents     any

  GET    /me/tools/scopable                             can_view_tools        any
  GET    /me/custom-tools                               can_view_tools        any
  POST   /me/custom-tools                               can_create_tools      any
  POST   /me/custom-tools/import                        can_create_tools      any
  GET    /me/custom-tools/scopable                      can_view_tools        any
  GET    /me/custom-tools/{id}                          can_view_tools        any
  PATCH  /me/custom-tools/{id}                          can_update_tools      any
  DELETE /me/custom-tools/{id}                          can_delete_tools      any
  POST   /me/custom-tools/{id}/approve                  can_update_tools      any
  GET    /me/custom-tools/{id}/versions                 can_view_tools        any
  GET    /me/custom-tools/{id}/uses                     can_view_tools        any
  GET    /me/custom-tools/{id}/versions/{version}       can_view_tools        any
  POST   /me/custom-tools/{id}/versions/{version}/restore can_update_tools    any
  GET    /me/upstreams                                  can_view_tools        any
  POST   /me/upstreams                                  can_create_tools      any
  GET    /me/upstreams/{id}                             can_view_tools        any
  PATCH  /me/upstreams/{id}                             can_update_tools      any
  DELETE /me/upstreams/{id}                             can_delete_tools      any
  GET    /me/upstreams/{id}/tools                       can_view_tools        any
  POST   /me/upstreams/import                           can_create_tools      any
  POST   /me/upstreams/{id}/import                      can_create_tools      any
  GET    /me/upstreams/{id}/changes                     can_view_tools        any
  POST   /me/upstreams/{id}/changes/approve             can_update_tools      any
`,
);
