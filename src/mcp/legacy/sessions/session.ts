import type { ClientInfo } from '../../protocol/call.ts';

/** Supported versions, newest first; clients that request any other version get the newest. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export type LegacyVersion = (typeof legacyVersions)[number];

/** Immutable data of a 2025 session. */
export interface Session {
  id: string;
  /** Redis key without the global prefix: `mcp:{account:<id>}:s:<sid>` for an account. */
  key: string;
  credential: string;
  version: LegacyVersion;
  client: ClientInfo;
  /** Revisions of the principal's scopes at `initialize`. */
  revisions: string;
}

/** Reasons why a request cannot use a session; each has its own response. */
export type SessionFault = 'gone' | 'version_mismatch' | 'unknown';

export const SESSION_LIFETIME_SECONDS = 24 * 3600;
/** A stream that missed three renewals expires: its instance is considered dead. */
export const STREAM_EXPIRY_MS = 45_000;

/** Returns the client as described by the params of its `initialize` request. */
export function clientOf(params: unknown): ClientInfo {
  const { clientInfo, capabilities } = (params ?? {}) as {
    clientInfo?: { name?: unknown; version?: unknown };
    capabilities?: unknown;
  };
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    name: text(clientInfo?.name),
    version: text(clientInfo?.version),
    capabilities: (capabilities ?? {}) as ClientInfo['capabilities'],
  };
}
