/**
 * The kinds of credentials that may use a route:
 *
 * - `any`: every credential.
 * - `person`: a credential that acts for a person. An organization's key gets the 403 for a missing
 *   permission even if it has the permission: an invitation is sent in the name of a member, whose
 *   permissions are checked again when it is accepted.
 * - `token`: a signed-in person, or an access token. A key gets a 403 `interactive_only`, whatever it
 *   was granted.
 * - `session`: a signed-in person. A key gets a 403 `interactive_only`, whatever it was granted.
 */
export type Who = 'any' | 'person' | 'token' | 'session';
const kinds: readonly string[] = ['any', 'person', 'token', 'session'] satisfies Who[];

/**
 * The permission a route needs, by its name in grants (several joined by `+`: all of them, and a 403
 * names the first that is missing), or one of:
 *
 * - `public`: no credential.
 * - `self`: a person's own account, in their session.
 * - `some-grant`: any grant for the personal space, even an empty one.
 * - `caller`: any credential; it sees only what it has access to.
 * - `member`: a member's session, or any credential with a grant for the organization.
 * - `own-me`: a member's session, for the member's own space.
 * - `seat`: a seat in the team, or `can_view_organization_teams`.
 * - `inside`: a seat in the team, or the permission to manage every team.
 */
export type Needs = string;

export interface Row {
  route: string;
  method: string;
  path: string;
  needs: Needs;
  who: Who;
}

/** Reads lines of `METHOD path needs who`; paths are relative to `base`. */
export const below = (base: string, lines: string): Row[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [method, relative, needs, who, ...rest] = line.split(/ +/);
      if (method === undefined || relative === undefined || needs === undefined || rest.length > 0)
        throw new Error(`not a row of the table: ${line}`);
      if (!kinds.includes(who!)) throw new Error(`unknown value in the column "who": ${line}`);
      const path = relative === '.' ? base : `${base}${relative}`;
      return { route: `${method} ${path}`, method, path, needs, who: who as Who };
    });
