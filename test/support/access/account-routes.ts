import { below } from './table.ts';

/** Public routes, and routes of a person's own account. */
export const accountRoutes = [
  ...below(
    '/oauth/consent/{uid}',
    `
  GET    /request                             self    session
  POST   /decision                            self    session
`,
  ),
  ...below(
    '/api',
    `
  GET    /auth/captcha                        public  any
  GET    /auth/oauth/{provider}               public  any
  GET    /auth/oauth/{provider}/callback      public  any
  GET    /auth/providers                      public  any
  GET    /upstream-oauth/callback             public  any
  GET    /upstream-oauth/client               public  any
  GET    /auth/sso                            public  any
  GET    /auth/sso/{connection_id}/callback   public  any
  GET    /auth/sso/{connection_id}/finish     public  any
  GET    /auth/sso/{connection_id}/start      public  any
  POST   /auth/sso/{connection_id}/acs        public  any
  POST   /auth/login                          public  any
  POST   /auth/login/second-factor            public  any
  POST   /auth/login/second-factor/options    public  any
  POST   /auth/passkey                        public  any
  POST   /auth/passkey/options                public  any
  POST   /auth/password/reset                 public  any
  POST   /auth/password/reset/confirm         public  any
  POST   /auth/refresh                        public  any
  POST   /auth/register                       public  any
  POST   /auth/resend-verification            public  any
  POST   /auth/verify-email                   public  any
  POST   /user/email/confirm                  public  any
  POST   /user/email/undo                     public  any
  GET    /invitations/{token}                 public  any
  GET    /client-snippets                     public  any
  GET    /oauth-client-presets                public  any
  GET    /service                             public  any

  POST   /invitations/{token}/accept          self    session
  POST   /auth/logout                         self    session
  GET    /auth/sessions                       self    session
  DELETE /auth/sessions                       self    session
  DELETE /auth/sessions/{id}                  self    session

  GET    /keys                                self    session
  POST   /keys                                self    session
  POST   /keys/preview                        self    session
  GET    /keys/{key_id}                       self    session
  PATCH  /keys/{key_id}                       self    session
  DELETE /keys/{key_id}                       self    session
  GET    /keys/{key_id}/preview               self    session
  POST   /keys/{key_id}/preview               self    session
  GET    /keys/{key_id}/explain               self    session
  GET    /me/access/keys/{key_id}            self    session
  GET    /me/access/connections/{connection_id} self  session
  GET    /keys/{key_id}/calls                 self    session
  GET    /connect/events                      self    session

  GET    /jobs                                caller  any
  GET    /jobs/{id}                           caller  any
  DELETE /jobs/{id}                           caller  any
  GET    /jobs/{id}/events                    caller  any

  DELETE /user/account                        self    session
  POST   /user/email                          self    session
  GET    /user/export                         self    session
  GET    /user/identities                     self    session
  POST   /user/identities                     self    session
  DELETE /user/identities/{id}                self    session
  GET    /user/passkeys                       self    session
  POST   /user/passkeys                       self    session
  POST   /user/passkeys/options               self    session
  PATCH  /user/passkeys/{id}                  self    session
  DELETE /user/passkeys/{id}                  self    session
  POST   /user/password                       self    session
  GET    /user/profile                        self    session
  PATCH  /user/profile                        self    session
  POST   /user/recovery-codes                 self    session
  GET    /user/second-factors                 self    session
  POST   /user/totp                           self    session
  DELETE /user/totp                           self    session
  POST   /user/totp/confirm                   self    session

  GET    /me/oauth-clients                    self    session
  POST   /me/oauth-clients                    self    session
  GET    /me/oauth-clients/{client_id}        self    session
  PATCH  /me/oauth-clients/{client_id}        self    session
  DELETE /me/oauth-clients/{client_id}        self    session
  POST   /me/oauth-clients/{client_id}/secrets               self    session
  DELETE /me/oauth-clients/{client_id}/secrets/{secret_id}   self    session

  GET    /me/connections                              self    session
  PATCH  /me/connections/{connection_id}              self    session
  DELETE /me/connections/{connection_id}              self    session
  GET    /me/connections/{connection_id}/preview      self    session
  GET    /me/connections/{connection_id}/explain      self    session

  GET    /me/audit                            self    session
  GET    /me/calls                            self    session
  GET    /me/export                           self    session
  POST   /me/import                           self    session
  POST   /me/mcp-settings/preview             self    session
  POST   /me/agents/{id}/bootstrap            self    session
  POST   /me/upstreams/{id}/connect             self    session
  GET    /me/upstreams/{id}/connection          self    session
  PUT    /me/upstreams/{id}/connection          self    session
  DELETE /me/upstreams/{id}/connection          self    session
  POST   /me/upstreams/{id}/approve-issuer      self    session

  GET    /organizations                       caller  any
  POST   /organizations                       self    session
`,
  ),
];
