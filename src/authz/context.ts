import type { Principal } from '../caller/principal.ts';
import { capabilities } from './permissions.ts';
import type { Capability } from './permissions.ts';
import type { Check } from './decisions.ts';

/** OpenFGA's decisions on a credential's use of MCP. */
export interface AccessContext {
  /** May use MCP in its context; false once the person has left. */
  connected: boolean;
  /** Capabilities that the credential declares and its context grants. */
  capabilities: ReadonlySet<Capability>;
  /** The requested team seats on which the credential is active. */
  active: ReadonlySet<string>;
}

const CONTEXT = ['can_connect', ...capabilities.map((capability) => `can_use_${capability}`)];
const NO_SEATS: readonly string[] = [];

/** Returns a function that builds contexts: the same object while its answers are cached. */
export function createContext(ask: {
  check(caller: Principal, relations: readonly string[]): Promise<ReadonlyMap<string, boolean>>;
  checkEach(caller: Principal, checks: readonly Check[]): Promise<readonly boolean[]>;
}) {
  // Keyed by the map of answers, which is the same object while cached (decisions.ts), and by the
  // seats.
  const contexts = new WeakMap<ReadonlyMap<string, boolean>, Map<string, AccessContext>>();

  async function activeAmong(caller: Principal, seats: readonly string[]): Promise<string[]> {
    if (seats.length === 0) return [];
    const checks = seats.map((object) => ({ object, relation: 'active' }));
    const answers = await ask.checkEach(caller, checks);
    return seats.filter((_, index) => answers[index]);
  }

  return async function contextOf(caller: Principal, seats = NO_SEATS): Promise<AccessContext> {
    const [answers, active] = await Promise.all([
      ask.check(caller, CONTEXT),
      activeAmong(caller, seats),
    ]);
    const bySeats = contexts.get(answers) ?? new Map<string, AccessContext>();
    contexts.set(answers, bySeats);
    const name = seats.join(' ');
    const context = bySeats.get(name) ?? {
      connected: answers.get('can_connect') === true,
      capabilities: new Set(capabilities.filter((one) => answers.get(`can_use_${one}`) === true)),
      active: new Set(active),
    };
    bySeats.set(name, context);
    return context;
  };
}
