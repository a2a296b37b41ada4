import { below } from './table.ts';

/**
 * Routes of a team. For callers who are not in the team and may not manage every team, it is
 * absent.
 */
export const teamRoutes = below(
  '/api/organizations/{organization_id}/teams/{team_id}',
  `
  GET    .                                           seat                             any
  PATCH  .                                           can_update_team_general          any
  DELETE .                                           can_delete_team_general          any
  GET    /usage                                      can_view_team_usage              any

  GET    /members                                    can_view_team_members            any
  POST   /members                                    can_create_team_members          any
  PATCH  /members/{account_id}                       can_update_team_members          any
  DELETE /members/{account_id}                       can_delete_team_members          any
  POST   /members/preview                            can_create_team_members          session
  POST   /members/{account_id}/preview               can_update_team_members          session
  GET    /roles                                      can_view_team_roles              any
  POST   /roles                                      can_create_team_roles            any
  GET    /roles/{role_id}                            can_view_team_roles              any
  PATCH  /roles/{role_id}                            can_update_team_roles            any
  DELETE /roles/{role_id}                            can_delete_team_roles            any

  GET    /policies/resource                          can_view_team_resource_policies    any
  PUT    /policies/resource                          can_update_team_resource_policies  any
  POST   /policies/resource/preview                 can_update_team_resource_policies  session
  GET    /policies/tool                              can_view_team_tool_policies        any
  PUT    /policies/tool                              can_update_team_tool_policies      any
  POST   /policies/tool/preview                     can_update_team_tool_policies      session
  GET    /policies/prompt                            can_view_team_prompt_policies      any
  PUT    /policies/prompt                            can_update_team_prompt_policies    any
  POST   /policies/prompt/preview                   can_update_team_prompt_policies    session
  GET    /policies/agent                             can_view_team_agent_policies       any
  PUT    /policies/agent                             can_update_team_agent_policies     any
  POST   /policies/agent/preview                    can_update_team_agent_policies     session

  GET    /resources                                  can_view_team_resources          any
  POST   /resources                                  can_create_team_resources        any
  GET    /resources/{id}                             can_view_team_resources          any
  PATCH  /resources/{id}                             can_update_team_resources        any
  DELETE /resources/{id}                             can_delete_team_resources        any
  POST   /resources/{id}/promote                     can_promote_team_resources       any
  GET    /resources/{id}/versions                    can_view_team_resources          any
  GET    /resources/{id}/uses                        can_view_team_resources          any
  GET    /resources/{id}/versions/{version}          can_view_team_resources          any
  POST   /resources/{id}/versions/{version}/restore  can_update_team_resources        any

  GET    /prompts                                    can_view_team_prompts            any
  POST   /prompts                                    can_create_team_prompts          any
  GET    /prompts/scopable                           can_view_team_prompts            any
  GET    /prompts/{id}                               can_view_team_prompts            any
  PATCH  /prompts/{id}                               can_update_team_prompts          any
  DELETE /prompts/{id}                               can_delete_team_prompts          any
  POST   /prompts/{id}/promote                       can_promote_team_prompts         any
  GET    /prompts/{id}/versions                      can_view_team_prompts            any
  GET    /prompts/{id}/uses                          can_view_team_prompts            any
  GET    /prompts/{id}/versions/{version}            can_view_team_prompts            any
  POST   /prompts/{id}/versions/{version}/restore    can_update_team_prompts          any

  GET    /agents                                     can_view_team_agents             any
  POST   /agents                                     can_create_team_agents           any
  GET    /agents/{id}                                can_view_team_agents             any
  PATCH  /agents/{id}                                can_update_team_agents           any
  DELETE /agents/{id}                                can_delete_team_agents           any
  GET    /agents/{id}/versions                       can_view_team_agents             any
  GET    /agents/{id}/uses                           can_view_team_agents             any
  POST   /agents/{id}/bootstrap                      can_view_team_agents             session
  GET    /agents/{id}/versions/{version}             can_view_team_agents             any
  POST   /agents/{id}/versions/{version}/restore     can_update_team_agents           any

  GET    /custom-tools                               can_view_team_tools              any
  POST   /custom-tools                               can_create_team_tools            any
  POST   /custom-tools/import                        can_create_team_tools            any
  GET    /custom-tools/scopable                      can_view_team_tools              any
  GET    /custom-tools/{id}                          can_view_team_tools              any
  PATCH  /custom-tools/{id}                          can_update_team_tools            any
  DELETE /custom-tools/{id}                          can_delete_team_tools            any
  POST   /custom-tools/{id}/approve                  can_update_team_tools            any
  POST   /custom-tools/{id}/promote                  can_promote_team_tools           any
  GET    /custom-tools/{id}/versions                 can_view_team_tools              any
  GET    /custom-tools/{id}/uses                     can_view_team_tools              any
  GET    /custom-tools/{id}/versions/{version}       can_view_team_tools              any
  POST   /custom-tools/{id}/versions/{version}/restore can_update_team_tools          any
  GET    /upstreams                                  can_view_team_tools              any
  POST   /upstreams                                  can_create_team_tools            any
  GET    /upstreams/{id}                             can_view_team_tools              any
  PATCH  /upstreams/{id}                             can_update_team_tools            any
  DELETE /upstreams/{id}                             can_delete_team_tools            any
  GET    /upstreams/{id}/tools                       can_view_team_tools              any
  POST   /upstreams/import                           can_create_team_tools            any
  POST   /upstreams/{id}/import                      can_create_team_tools            any
  GET    /upstreams/{id}/changes                     can_view_team_tools              any
  POST   /upstreams/{id}/changes/approve             can_update_team_tools            any
  POST   /upstreams/{id}/connect                      inside                           session
  GET    /upstreams/{id}/connection                   inside                           session
  PUT    /upstreams/{id}/connection                   inside                           session
  DELETE /upstreams/{id}/connection                   inside                           session
  POST   /upstreams/{id}/approve-issuer               can_update_team_tools            session
`,
);
