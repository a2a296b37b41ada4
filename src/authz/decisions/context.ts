import { deepFreeze } from '../../platform/frozen.ts';
import { tokenGrantOf } from '../../caller/principal.ts';
import type { Principal } from '../../caller/principal.ts';
import { capabilities } from '../permissions.ts';
import type { Capability } from '../permissions.ts';
import type { Results, Check } from './decisions.ts';

/** OpenFGA's decisions on a credential's use of MCP. */
export interface AccessContext {
  /** May use MCP in its context; false once the person has left. */
  connected: boolean;
  /** Capabilities that the credential declares and its context grants. */
  capabilities: ReadonlySet<Capability>;
  /** The requested team seats on which the credential is active. */
  active: ReadonlySet<string>;
}

const NO_SEATS: readonly string[] = [];
/** Stands for a credential without scopes. */
const ALL_SCOPES = {};

/**
 * Returns a function that builds contexts: the same object for the same list of seats while its
 * answers are cached. A credential in many teams is then found by one look-up, not by one per team.
 * Tokens of one connection may have different scopes, so each set of scopes has its own contexts.
 * `onCheck` is called before OpenFGA is asked. Only the given capabilities are asked about.
 */
export function createContext(dependencies: {
  /** Returns the cached answers about the caller's context object, even if there are none yet. */
  cached(caller: Principal): Promise<Results>;
  checkEach(caller: Principal, checks: readonly Check[]): Promise<readonly boolean[]>;
  asked?: readonly Capability[];
}) {
  const { asked = capabilities } = dependencies;
  const relations = ['can_connect', ...asked.map((capability) => `can_use_${capability}`)];
  // Keyed by the cached answers, which are the same object until a scope changes (decisions.ts).
  const contexts = new WeakMap<
    Results,
    WeakMap<object, WeakMap<readonly string[], AccessContext>>
  >();

  return async function contextOf(
    caller: Principal,
    seats = NO_SEATS,
    onCheck: () => void = () => {},
  ): Promise<AccessContext> {
    const cached = await dependencies.cached(caller);
    const byScopes = contexts.get(cached) ?? new WeakMap();
    contexts.set(cached, byScopes);
    const scopes = tokenGrantOf(caller)?.scopes ?? ALL_SCOPES;
    const bySeats = byScopes.get(scopes) ?? new WeakMap<readonly string[], AccessContext>();
    byScopes.set(scopes, bySeats);
    let context = bySeats.get(seats);
    if (context === undefined) {
      onCheck();
      const checks = [
        ...relations.map((relation) => ({ object: caller.context, relation })),
        ...seats.map((object) => ({ object, relation: 'active' })),
      ];
      const answers = await dependencies.checkEach(caller, checks);
      context = deepFreeze(contextFrom(answers, relations, seats));
      bySeats.set(seats, context);
    }
    return context;
  };
}

/** Returns the context for the answers about the credential's relations and then about the seats. */
function contextFrom(
  answers: readonly boolean[],
  relations: readonly string[],
  seats: readonly string[],
): AccessContext {
  const allowed = new Set(relations.filter((_, index) => answers[index]));
  return {
    connected: allowed.has('can_connect'),
    capabilities: new Set(capabilities.filter((one) => allowed.has(`can_use_${one}`))),
    active: new Set(seats.filter((_, index) => answers[relations.length + index])),
  };
}
