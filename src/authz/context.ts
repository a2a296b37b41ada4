import type { Principal } from '../caller/principal.ts';
import { capabilities } from './permissions.ts';
import type { Capability } from './permissions.ts';
import type { Check } from './decisions.ts';

/** What OpenFGA says of a credential on MCP. */
export interface AccessContext {
  /** May speak MCP from its context object; false for a person who left. */
  connected: boolean;
  /** Declared, and held where the credential runs. */
  capabilities: ReadonlySet<Capability>;
  /** Of the team seats asked about, those it is active on. */
  active: ReadonlySet<string>;
}

const CONTEXT = ['can_connect', ...capabilities.map((capability) => `can_use_${capability}`)];
const NO_SEATS: readonly string[] = [];

/** Makes contexts, each the same object while the answers it is made of are kept. */
export function createContext(ask: {
  check(caller: Principal, relations: readonly string[]): Promise<ReadonlyMap<string, boolean>>;
  checkEach(caller: Principal, checks: readonly Check[]): Promise<readonly boolean[]>;
}) {
  // By the map of answers, which is one map while it is kept (cache.ts), and the seats asked about.
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
    const made = contexts.get(answers) ?? new Map<string, AccessContext>();
    contexts.set(answers, made);
    const name = seats.join(' ');
    const context = made.get(name) ?? {
      connected: answers.get('can_connect') === true,
      capabilities: new Set(capabilities.filter((one) => answers.get(`can_use_${one}`) === true)),
      active: new Set(active),
    };
    made.set(name, context);
    return context;
  };
}
