export type ScopeKind = 'platform' | 'account' | 'organization' | 'membership' | 'service';
export interface ScopeRef {
  kind: ScopeKind;
  id: string;
}

/** A scope as the authentication query read it; dirty while `applied` is behind `revision`. */
export interface ScopeState extends ScopeRef {
  revision: number;
  applied: number;
  /** New at each raise of `revision`: numbers come back after a restore, nonces do not. */
  nonce: string;
  /** Edits that lists and reads show, without a change of authority. */
  content: number;
}

/** `account:0190…`: how events, locks and logs name a scope. */
export const scopeName = (scope: ScopeRef): string => `${scope.kind}:${scope.id}`;
