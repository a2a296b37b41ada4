import type { Denial, ItemAction, MadeDecision } from '../../decision-log/decision-log.ts';
import type { AgentPrincipal } from '../../caller/principal.ts';
import type { ToolRequirement } from '../../catalog/catalog.ts';
import type { Family } from '../../content/items/schema.ts';
import type { Admission, Admitted, CallFacts, Limits } from '../../limits/limits.ts';
import type { CallKind, CallLayer, CallOutcome } from '../../limits/schema.ts';
import { asRefusal } from '../../platform/errors/outage.ts';
import { limited } from '../../platform/errors/refusal.ts';
import type { RefusalKind } from '../../platform/errors/refusal.ts';
import { stillAuthorized } from '../protocol/authorization.ts';
import type { Call } from '../protocol/call.ts';
import { organizationOf } from '../protocol/organization.ts';
import { ProtocolFailure, sessionEnded } from '../protocol/errors.ts';

/** Item of a call; `origin` shows whether its name is public (built-in) or chosen by a user. */
export interface CalledItem {
  id: string;
  name: string;
  origin: string;
  /** Space of a user-defined item. */
  space_id?: string | null;
  family?: Family;
  requires?: ToolRequirement;
}

/** A call that ended, for metrics. */
export interface ObservedCall {
  kind: CallKind;
  /** Null if the call names nothing that exists. */
  item: CalledItem | null;
  outcome: CallOutcome;
  layer: CallLayer;
  seconds: number;
}

export interface CallLogDependencies {
  limits: Pick<Limits, 'admit' | 'record'>;
  observe(call: ObservedCall): void;
  recordDecision(decision: MadeDecision): void;
  /** Records that a credential used an item, and so what the item needs. */
  recordUse(caller: AgentPrincipal, item: CalledItem): void;
}

/**
 * Creates the log of calls that are counted or recorded: `begin` a call, `admit` it with its
 * decision, which names its item with `setItem` and is set with `setDecision`, then `end` or `refuse`
 * it. Each call results in one ledger row, one observation and, if something was decided, one
 * recorded decision.
 */
export function createCallLog(dependencies: CallLogDependencies) {
  return {
    begin: (call: Call, kind: CallKind) => new TrackedCall(dependencies, call, kind),
  };
}
export type CallLog = ReturnType<typeof createCallLog>;

export class TrackedCall {
  readonly #dependencies: CallLogDependencies;
  readonly #call: Call;
  readonly #facts: CallFacts;
  readonly #kind: CallKind;
  readonly #began = performance.now();
  #item: CalledItem | null = null;
  #admission: Admitted | null = null;
  #deniedBy: CallLayer | null = null;
  #decision: Pick<MadeDecision, 'action' | 'denial'> | null = null;
  #isOver = false;

  constructor(dependencies: CallLogDependencies, call: Call, kind: CallKind) {
    const { caller } = call;
    this.#dependencies = dependencies;
    this.#call = call;
    this.#kind = kind;
    this.#facts = {
      account_id: caller.person,
      key_id: caller.credential.id,
      credential_kind: caller.credential.kind,
      item_id: null,
      // Recorded only for items that exist: an unknown name and its arguments may be anything a
      // client sent by mistake, even a secret.
      item_name: null,
      space_id: null,
      arguments: null,
    };
  }

  /** Sets the item, which exists. The `withheld` arguments are never recorded. */
  setItem(item: CalledItem, withheld?: readonly string[]): void {
    this.#item = item;
    this.#facts.item_id = item.id;
    this.#facts.item_name = item.name;
    this.#facts.space_id = item.space_id ?? null;
    const { caller, params } = this.#call;
    if (caller.audit_arguments) this.#facts.arguments = argumentsOf(params, withheld);
  }

  /** Sets the layer that denied the call, if the error thrown afterwards does not reveal it. */
  setDenyingLayer(layer: CallLayer): void {
    this.#deniedBy = layer;
  }

  /** Sets what was decided on the use of an item, if anything was; the last decision counts. */
  setDecision(action: ItemAction, denial: Denial | null): void {
    this.#decision = { action, denial };
  }

  /** Sets that a tool was denied something while it ran, unless it is known what. */
  setDeniedInside(): void {
    if (this.#decision?.denial !== null) return;
    const { action } = this.#decision;
    this.#decision = { action, denial: { layer: 'capability', reason: 'permission_missing' } };
  }

  /**
   * Decides, then admits the call. If its authorization is not recent after that, it is read and
   * decided again: whatever the call waited for, nothing starts on authorization that was revoked
   * meanwhile. A call refused by the second decision has been charged like one that fails.
   */
  async admit<Decided>(
    decide: (call: Call) => Promise<Decided>,
  ): Promise<{ call: Call; decided: Decided }> {
    const decided = await decide(this.#call);
    await this.#count();
    try {
      const call = await stillAuthorized(this.#call);
      return { call, decided: call === this.#call ? decided : await decide(call) };
    } catch (error) {
      this.#write('failed', this.#deniedBy ?? layerOf(error));
      throw error;
    }
  }

  /** Checks the windows, the month and, in the 2025 version, the session, in one round trip. */
  async #count(): Promise<void> {
    const { call_id, session, caller } = this.#call;
    const { quota_owner } = caller;
    const request = { quota_owner, kind: this.#kind, call_id, facts: this.#facts };
    const admission = await this.#dependencies.limits.admit(
      session === undefined ? request : { ...request, session: session.touch },
    );
    if (session !== undefined) session.state = admission.session;
    if (!admission.admitted) throw notAdmittedError(admission);
    this.#admission = admission;
  }

  end(outcome: CallOutcome): void {
    this.#write(outcome, outcome === 'ok' ? 'ok' : 'tool');
  }

  /** Ends the call with a thrown error. */
  refuse(error: unknown): void {
    if (this.#admission !== null) this.end('failed');
    else this.#write('refused', this.#deniedBy ?? layerOf(error));
  }

  #write(outcome: CallOutcome, layer: CallLayer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const ms = performance.now() - this.#began;
    const { limits, observe, recordUse } = this.#dependencies;
    if (this.#item !== null && outcome !== 'refused') recordUse(this.#call.caller, this.#item);
    limits.record({
      call_id: this.#call.call_id,
      quota_owner: this.#call.caller.quota_owner,
      kind: this.#kind,
      facts: this.#facts,
      admission: this.#admission,
      outcome,
      layer,
      duration_ms: ms,
    });
    observe({ kind: this.#kind, item: this.#item, outcome, layer, seconds: ms / 1_000 });
    this.#recordDecision();
  }

  #recordDecision(): void {
    if (this.#decision === null) return;
    const { caller, request_id } = this.#call;
    const { action, denial } = this.#decision;
    this.#dependencies.recordDecision({
      caller,
      request_id,
      organization_id: organizationOf(caller),
      action,
      team_id: null,
      denial,
      // A view comes from several caches, of which the call does not know.
      cached: null,
    });
  }
}

const layersByKind: Partial<Record<RefusalKind, CallLayer>> = {
  unauthenticated: 'credential',
  absent: 'absent',
  forbidden: 'capability',
  malformed: 'arguments',
  limited: 'limit',
};

/** Returns the layer that threw the error. */
function layerOf(error: unknown): CallLayer {
  if (error instanceof ProtocolFailure)
    return error.error === sessionEnded ? 'session' : 'arguments';
  const refusal = asRefusal(error);
  return (refusal !== null && layersByKind[refusal.kind]) || 'service';
}

function argumentsOf(params: unknown, withheld: readonly string[] = []): string | null {
  const { arguments: input } = (params ?? {}) as { arguments?: unknown };
  if (input === undefined) return null;
  return JSON.stringify(input, (name, value: unknown) =>
    withheld.includes(name) ? '[withheld]' : value,
  );
}

function notAdmittedError(admission: Extract<Admission, { admitted: false }>): Error {
  if (admission.window === null) return new ProtocolFailure(sessionEnded);
  const { window, limit, retry_after_seconds } = admission;
  return limited(
    'rate_limited',
    `Call limit per ${window} reached. Wait ${retry_after_seconds} seconds and try again.`,
    {
      detail: { window, limit, retry_after_seconds },
    },
  );
}
