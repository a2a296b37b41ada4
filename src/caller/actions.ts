/**
 * All audit actions (`<subject>.<verb>`) and their descriptions. Using any other does not compile;
 * `docs/audit.md` is generated from this table.
 */
export const actions = {
  'account.activate': 'An operator gave a deactivated account back: it signs in, its keys work.',
  'account.create': 'Somebody whom a third party vouched for came first: the account began.',
  'account.deactivate': 'An operator took the account out of use: sessions ended, keys refused.',
  'account.delete': 'The account was deleted with all it owned; its history stays.',
  'account.export': 'Everything the account owns was handed out as a file.',
  'account.verify': 'A registration was confirmed by the link in its e-mail: the account began.',
  'agent.create': 'An agent definition was made.',
  'agent.delete': 'An agent definition was deleted, and left every policy that named it.',
  'agent.update':
    'An agent definition was changed or an earlier version restored: a new version is active.',
  'custom_tool.create': 'A custom tool was made.',
  'custom_tool.delete': 'A custom tool was deleted, and left every policy that named it.',
  'custom_tool.hold':
    'A custom tool was withheld: its upstream describes it otherwise than when it was looked at.',
  'custom_tool.update':
    'A custom tool was changed, or its secrets, an earlier version restored, or a held tool approved.',
  'email.ask':
    'Another e-mail address was asked for; it is not the account’s before its confirmation.',
  'email.change': 'The e-mail address was changed by the link sent to the new one.',
  'email.undo': 'The former e-mail address came back by the link sent to it.',
  'identity.link': 'A third party became a way to sign in; `detail.provider` says which.',
  'identity.unlink': 'A third party is no way to sign in any more.',
  'key.create': 'An API key was made.',
  'key.revoke': 'An API key was revoked.',
  'key.update': 'An API key was changed: its name, grants, capabilities, policies or end.',
  'mcp_settings.update': 'The selection of built-in tools was replaced.',
  'passkey.create': 'A passkey was added.',
  'passkey.delete': 'A passkey was removed.',
  'passkey.update': 'A passkey was given another name.',
  'password.change': 'The password was changed in a session; every other session ended.',
  'password.reset': 'A new password was set by the link in an e-mail; every session ended.',
  'presence.refuse': 'A change that asks for the current password was sent with a wrong one.',
  'profile.update': 'Names or the language of e-mails were changed; `detail.fields` says which.',
  'prompt.create': 'A prompt was made.',
  'prompt.delete': 'A prompt was deleted, and left every policy that named it.',
  'prompt.update': 'A prompt was changed or an earlier version restored: a new version is active.',
  'recovery_codes.create': 'Ten new recovery codes were made; the old ones stopped working.',
  'recovery_codes.use': 'A recovery code let somebody in, and is used up.',
  'resource.create': 'A resource was made.',
  'resource.delete': 'A resource was deleted.',
  'resource.update':
    'A resource was changed or an earlier version restored: a new version is active.',
  'session.challenge':
    'The first half of a sign-in was right; it waits for a second factor. `detail.amr` says by what.',
  'session.create': 'Somebody signed in; `detail.amr` says by which proofs.',
  'session.end':
    'A session signed out, or ended because it was the least recently used of more than a hundred.',
  'session.end_all': 'Every session signed out at once.',
  'session.refuse': 'A sign-in was refused. Without an account, when nobody has the address.',
  'session.replay': 'A used refresh token was sent again: the session was ended as stolen.',
  'settings.update': 'What is kept of calls was changed; `detail` says to what.',
  'space.export': 'Everything the space holds was handed out as a file, but for its secrets.',
  'space.import': 'The file of a space was taken in; `detail` says how many items became of it.',
  'totp.disable': 'The authenticator app was removed.',
  'totp.enable': 'An authenticator app was set up.',
  'totp.refuse': 'A wrong code was sent to finish the set-up of an authenticator app.',
  'upstream.create': 'An upstream MCP server was added.',
  'upstream.delete': 'An upstream MCP server was removed.',
  'upstream.update': 'Name, address or headers of an upstream MCP server were changed.',
} as const satisfies Readonly<Record<`${string}.${string}`, string>>;

export type Action = keyof typeof actions;
