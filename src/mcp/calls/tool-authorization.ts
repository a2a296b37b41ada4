import { ConcurrentUpdate } from '../../authz/authz.ts';
import type { Contended, Retry } from '../../authz/authz.ts';
import { ToolDeleted } from '../../catalog/catalog.ts';
import { isRefusal } from '../../platform/errors/refusal.ts';
import type { View } from '../../visibility/visibility.ts';
import { revisionsOf } from '../changes/watch.ts';
import { reauthorized, stillAuthorized } from '../protocol/authorization.ts';
import type { Call } from '../protocol/call.ts';

export interface ToolAuthorizationDependencies {
  retry: Retry;
  /** What a tool that changes content competes for; null for one that only reads. */
  contended: Contended | null;
  /** Throws if the tool is not permitted. */
  decide(view: View): unknown;
}

// The same limit as for REST requests, which are retried for the same reason.
const RETRY_MS = 10_000;

/** The decision that allowed a tool to run, which is made again when it is no longer recent. */
export class ToolAuthorization {
  readonly #dependencies: ToolAuthorizationDependencies;
  #call: Call;

  constructor(call: Call, dependencies: ToolAuthorizationDependencies) {
    this.#call = call;
    this.#dependencies = dependencies;
  }

  /** Throws if the caller may no longer run the tool. Call it before each step that may wait. */
  async requirePermitted(): Promise<void> {
    const current = await stillAuthorized(this.#call);
    if (current !== this.#call) await this.#decideOn(current);
  }

  /** Throws `ConcurrentUpdate` too if anything that decisions depend on has changed. */
  async requireUnchanged(): Promise<void> {
    const before = revisionsOf(this.#call.caller);
    await this.requirePermitted();
    if (revisionsOf(this.#call.caller) !== before) throw new ConcurrentUpdate();
  }

  /** Runs work that reads or changes content; decides again if authority changes meanwhile. */
  run<T>(work: (call: Call) => Promise<T>): Promise<T> {
    return this.#dependencies.retry({
      attempt: async () => {
        await this.requirePermitted();
        return work(this.#call);
      },
      retry: async () => {
        await this.#decideOn(await reauthorized(this.#call));
        return work(this.#call);
      },
      contended: this.#dependencies.contended,
      until: performance.now() + RETRY_MS,
    });
  }

  async #decideOn(current: Call): Promise<void> {
    try {
      this.#dependencies.decide(await current.view());
    } catch (error) {
      // A tool that was deleted in the meantime fails like any tool that does not exist.
      throw isRefusal(error) && error.kind === 'absent' ? new ToolDeleted(error.message) : error;
    }
    this.#call = current;
  }
}
