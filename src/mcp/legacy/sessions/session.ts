import type { ClientInfo } from '../../protocol/call.ts';

/** The newest first; what a client asks for beside these is answered with the newest. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export type LegacyVersion = (typeof legacyVersions)[number];

/** A session of the 2025 era as its requests find it. Nothing of it ever changes. */
export interface Session {
  id: string;
  /** `mcp:{account:<id>}:s:<sid>`, before the prefix of all keys. */
  key: string;
  credential: string;
  version: LegacyVersion;
  client: ClientInfo;
  /** Revisions of the principal's scopes at `initialize`. */
  revisions: string;
}

/** Why a request finds no session it may use; each is one answer on the wire. */
export type SessionFault = 'gone' | 'version_mismatch' | 'unknown';

export const SESSION_LIFETIME_SECONDS = 24 * 3600;
/** Three keep-alives missed: the instance of that stream is gone. */
export const STREAM_VOID_MS = 45_000;

/** Who the client says it is, from the params of its `initialize`. */
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
