import type { Progress } from '../../catalog/catalog.ts';

/** URL of an upstream, and the headers sent to it with every request. */
export interface UpstreamAddress {
  /** The space that turns of the event loop are counted for. */
  space_id: string;
  url: string;
  headers: Readonly<Record<string, string>>;
}

export interface CallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Options of a call for a caller, whose authorization may end while the call waits. */
export interface UpstreamCallOptions extends CallOptions {
  /** The account that the call acts for; null for a credential of an organization. */
  person: string | null;
  /** Throws if the caller is no longer authorized. */
  beforeCall(): Promise<void>;
}
