/** The kinds of caller that the routes of an organization are tested with. */
export const CALLER_KINDS = ['anonymous', 'key', 'stranger', 'member', 'admin', 'owner'] as const;

/** The expected response for each kind of caller: status and error code. */
export type Expected = Record<(typeof CALLER_KINDS)[number], (number | string)[]>;

export const unauthenticated = [401, 'authentication_required'];
export const interactiveOnly = [403, 'interactive_only'];
export const absent = [404, 'not_found'];
export const denied = [403, 'permission_denied'];
