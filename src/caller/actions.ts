/**
 * All audit actions (`<subject>.<verb>`) and their descriptions. Using any other does not compile;
 * `docs/audit.md` is generated from this table. A name stays as long as entries can have it: filters
 * by a prefix select the names that begin with it.
 */
export const actions = {
  'access_review.apply':
    'Decisions of an access review were applied; `detail` has how many were to revoke and to reduce. Each change has its own entry, with the same `request_id`.',
  'access_review.create':
    'An access review was taken; `detail` has the number of its entries, and whether it is a nightly one.',
  'access_review.decide':
    'A decision about an entry of an access review was recorded; `detail` has the subject, and the decision before and after.',
  'access_review.update': 'An access review was closed.',
  'access_review_settings.update':
    'Nightly access reviews were switched; `detail` has the settings before and after.',
  'account.activate': 'An operator reactivated the account: sign-in and its keys work again.',
  'account.create':
    'The account was created by a first sign-in with a third party, or by the directory of an organization.',
  'account.deactivate':
    'An operator deactivated the account: its sessions were ended and its keys are rejected.',
  'account.delete': 'The account was deleted with everything it owned; its audit history is kept.',
  'account.export': 'The account’s data was exported.',
  'account.plan': 'An operator set the plan; `detail` has the plan before and after.',
  'account.verify': 'The account was created: a registration was confirmed by its e-mail link.',
  'agent.create': 'An agent definition was created.',
  'agent.delete': 'An agent definition was deleted, and removed from every policy that named it.',
  'agent.update':
    'An agent definition was changed or an earlier version restored: a new version is active.',
  'authz.foreign_write':
    'A tuple in OpenFGA was written or deleted, but not by a gateway; `detail` has the tuple and the operation. `toolgate drift --repair` undoes it.',
  'connection.create':
    'An OAuth client was authorized by a person, or registered to act by itself; `detail` has what it may do.',
  'connection.replay':
    'A used code or refresh token was sent again: the connection was revoked as possibly stolen; `detail` has it.',
  'connection.revoke':
    'An OAuth connection was revoked, by a person or because it was never used or its client was disabled; `detail` has what it could do.',
  'connection.update':
    'An OAuth connection was changed: its default agent, from where or when it works, its teams because its client lost some or, if it acts by itself, its scopes.',
  'custom_tool.create': 'A custom tool was created.',
  'custom_tool.delete': 'A custom tool was deleted, and removed from every policy that named it.',
  'custom_tool.hold':
    'A custom tool was quarantined: its description at the upstream changed since it was approved.',
  'custom_tool.promote': 'A custom tool of a team was moved into the catalog of its organization.',
  'custom_tool.update':
    'A custom tool or its secrets were changed, an earlier version restored, or a quarantined tool approved.',
  'email.request': 'A change of the e-mail address was requested; it takes effect once confirmed.',
  'email.change': 'The e-mail address was changed with the link sent to the new one.',
  'email.undo': 'The previous e-mail address was restored with the link sent to it.',
  'identity.link': 'A third-party sign-in was linked; `detail.provider` names the provider.',
  'identity.unlink': 'A third-party sign-in was unlinked.',
  'invitation.create':
    'An address was invited to an organization; `detail` has the inviter, the roles and the teams.',
  'invitation.resend':
    'An invitation got a new link and is valid for another week; `detail` has the inviter, the roles and the teams before and after.',
  'invitation.revoke':
    'An invitation was revoked and its link no longer works; `detail.before` has its roles and teams.',
  'key.create': 'An API key was created; `detail.after` has it, with its whole item policies.',
  'key.revoke': 'An API key was revoked.',
  'key.update':
    'An API key was changed: its name, grants, capabilities, teams, policies, default agent or expiry, or from where or when it works; `detail` has it before and after, with its whole item policies, and in `policies` the names of those that changed.',
  'member.deactivate':
    'The directory of an organization deactivated a member: the membership and the sessions of the person were ended.',
  'member.join':
    'A person became a member of an organization; `detail` has the roles and the teams, `target` the invitation.',
  'member.leave': 'A person left an organization.',
  'member.remove': 'A member was removed from an organization.',
  'member.update': 'The roles of a member were replaced; `detail` has them before and after.',
  'mcp_settings.update':
    'The selection of built-in tools and prompts was replaced; in an organization, `detail` has it before and after, with those for the whole organization.',
  'oauth_client.create': 'An OAuth client was registered; `detail` has what it may do.',
  'oauth_client.delete': 'An OAuth client was deleted: its connections ended.',
  'oauth_client.update':
    'An OAuth client was changed, disabled or enabled; `detail` has it before and after.',
  'oauth_client_secret.create': 'A client got another secret; `detail` has the first characters.',
  'oauth_client_secret.delete':
    'A secret of a client was deleted; `detail` has the first characters.',
  'organization.activate': 'An operator reactivated a suspended organization.',
  'organization.billing':
    'The billing contact of an organization was changed; `detail.fields` lists the fields.',
  'organization.create': 'An organization was created; its creator is the Owner.',
  'organization.delete': 'An organization was deleted; requests for it return 404 from then on.',
  'organization.plan': 'An operator set the plan; `detail` has the plan before and after.',
  'organization.remove':
    'A part of a deleted organization was removed: memberships, keys and connections that it owned, or its row with its roles and teams.',
  'organization.suspend':
    'An operator suspended an organization: its members are denied access to it.',
  'organization.transfer':
    'Another member became the Owner; `detail` has the former and the new Owner.',
  'organization.update': 'An organization was renamed; `detail` has both names.',
  'passkey.create': 'A passkey was added.',
  'passkey.delete': 'A passkey was removed.',
  'passkey.update': 'A passkey was renamed.',
  'password.change': 'The password was changed in a session; all other sessions were ended.',
  'password.reset': 'The password was reset with an e-mailed link; all sessions were ended.',
  'presence.refuse': 'A change that requires the current password was sent with a wrong one.',
  'profile.update':
    'The name or the language of e-mails was changed; `detail.fields` lists the fields.',
  'prompt.create': 'A prompt was created.',
  'prompt.delete': 'A prompt was deleted, and removed from every policy that named it.',
  'prompt.hold':
    'A prompt was quarantined: its description at the upstream changed since it was approved.',
  'prompt.promote': 'A prompt of a team was moved into the catalog of its organization.',
  'prompt.update': 'A prompt was changed or an earlier version restored: a new version is active.',
  'recovery_codes.create': 'Ten new recovery codes were generated; the old ones no longer work.',
  'recovery_codes.use': 'A recovery code was used to sign in; it cannot be used again.',
  'resource.create': 'A resource was created.',
  'resource.delete': 'A resource was deleted.',
  'resource.hold':
    'A resource was quarantined: its description at the upstream changed since it was approved.',
  'resource.promote': 'A resource of a team was moved into the catalog of its organization.',
  'resource.update':
    'A resource was changed or an earlier version restored: a new version is active.',
  'role.create': 'A role was created.',
  'role.delete':
    'A role was deleted; `detail` has the role before, and in `replace_with` the one its members have for it.',
  'role.remove':
    'A part of a deleted role was removed: its members were given its replacement, or its row was deleted.',
  'role.update': 'A role was changed; `detail` has the role before and after.',
  'scim_group.update': 'The directory of an organization changed a group.',
  'scim_token.create': 'A SCIM token was created; `detail.name` has its name.',
  'scim_token.revoke': 'A SCIM token was revoked; `detail.name` has its name.',
  'scim_user.create': 'The directory of an organization took over the management of a member.',
  'scim_user.delete': 'The directory of an organization deleted a user who was not active.',
  'scim_user.update':
    'The directory of an organization changed a user; `detail.fields` lists the fields.',
  'session.challenge':
    'The first factor of a sign-in was accepted; the second is pending. `detail.amr` names the method.',
  'session.create': 'A user signed in; `detail.amr` lists the authentication methods.',
  'session.end':
    'A session was signed out, or was ended as the least recently used of more than a hundred, or because an organization requires single sign-on.',
  'session.end_all': 'All sessions were signed out at once.',
  'session.refuse': 'A sign-in was rejected. The row has no account if the address is unknown.',
  'session.replay':
    'A used refresh token was sent again: the session was ended as possibly stolen.',
  'settings.update': 'The call-logging setting was changed; `detail` has the new value.',
  'space.export': 'The space was exported to a file, without secrets.',
  'space.import': 'A space file was imported; `detail` has the number of items created.',
  'sso.update': 'Enforcement of single sign-on was switched; `detail` has it before and after.',
  'sso_access.end':
    'What the identity providers of an organization could have added to the account was ended: `detail` has since when, and counts the sessions and sign-in methods. Keys and connections are revoked with entries of their own.',
  'sso_connection.create': 'A connection to an identity provider was created.',
  'sso_connection.delete':
    'A connection to an identity provider was deleted; sign-ins through it ended.',
  'sso_connection.test': 'A person tested a connection by signing in at the identity provider.',
  'sso_connection.unlink':
    'An account was unlinked from its person at the identity provider; `detail.account_id` names it.',
  'sso_connection.update':
    'A connection to an identity provider was changed; `detail.fields` lists the fields.',
  'sso_domain.create': 'An e-mail domain was claimed; it is not verified yet.',
  'sso_domain.delete': 'An e-mail domain was given up.',
  'sso_domain.verify': 'An e-mail domain was verified by its TXT record.',
  'team.create':
    'A team was created; a person who creates it in a session is its first `team_admin`.',
  'team.delete': 'A team was deleted; requests for it return 404 from then on.',
  'team.policy':
    'An exposure policy of a team was replaced; `detail` has the policy before and after.',
  'team.remove': 'A part of a deleted team was removed: seats, its roles, or its row.',
  'team.update':
    'The name, title or description of a team was changed; `detail` has them before and after.',
  'team_member.add': 'A member was given a seat in a team; `detail` has the roles.',
  'team_member.leave': 'A person left a team.',
  'team_member.remove': 'A member was removed from a team.',
  'team_member.update':
    'The roles of a member in a team were replaced; `detail` has them before and after.',
  'team_role.create': 'A role for teams was created.',
  'team_role.delete':
    'A role for teams was deleted; `detail` has the role before, and in `replace_with` the one its members have for it.',
  'team_role.remove':
    'A part of a deleted role for teams was removed: its members were given its replacement, or its row was deleted.',
  'team_role.update': 'A role for teams was changed; `detail` has the role before and after.',
  'totp.disable': 'The authenticator app was removed.',
  'totp.enable': 'An authenticator app was set up.',
  'totp.refuse': 'A wrong code was sent to complete the set-up of an authenticator app.',
  'upstream.approve':
    'New and changed tools, prompts and resources of an upstream MCP server were approved; `detail` has their numbers.',
  'upstream.approve_issuer':
    'Another authorization server of an upstream MCP server was approved; `detail` has the one before and after.',
  'upstream.connect':
    'An account was connected at an upstream MCP server; `detail` has the kind of connection, the issuer and the scopes.',
  'upstream.create': 'An upstream MCP server was added.',
  'upstream.delete': 'An upstream MCP server was removed.',
  'upstream.disconnect':
    'An account at an upstream MCP server was disconnected; `detail` has the kind of connection.',
  'upstream.import':
    'All tools of an upstream MCP server, or a selection of its tools, prompts and resources, were added; `detail` has their numbers.',
  'upstream.update': 'The name, URL or headers of an upstream MCP server were changed.',
} as const satisfies Readonly<Record<`${string}.${string}`, string>>;

export type Action = keyof typeof actions;
