import type { SsoDependencies } from '../dependencies.ts';
import type { ConnectionGuard } from './guard.ts';
import type { ConnectionKey } from './store.ts';

/** What creating and changing connections depends on. */
export interface WritingDependencies extends Pick<SsoDependencies, 'authz' | 'accounts'> {
  guard: ConnectionGuard;
  /** Encrypts a connection's client secret. */
  seal(connection: ConnectionKey, secret: string): Buffer;
}
