import type { Authz } from '../authz/authz.ts';
import type { AgentPrincipal, Principal } from '../caller/principal.ts';
import { systemToolNames } from '../catalog/catalog.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Family } from '../content/items/schema.ts';
import type { CallKind, Limits } from '../limits/limits.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { Item, Visibility } from '../visibility/visibility.ts';
import type { Explanation, ExplanationStep } from './schema.ts';

export interface KeyExplainDependencies {
  authz: Pick<Authz, 'check' | 'explain'>;
  visibility: Pick<Visibility, 'view' | 'everything' | 'explain'>;
  limits: Pick<Limits, 'windows'>;
  credentials: Pick<Credentials, 'find'>;
}

/** The item to explain, by its name, path, URI or id. */
export interface ExplainTarget {
  family: Family;
  item: string;
}

// Call kind that using an item of each family counts as; agents are read through `bootstrap`.
const KINDS = {
  tool: 'tool_call',
  prompt: 'content_read',
  resource: 'content_read',
  agent: 'system_call',
} as const satisfies Record<Family, CallKind>;

/**
 * Creates `explain`, which returns why a key may or may not use an item: every check in the
 * decision, with its evidence. For the key's owner and operators only; not counted as a call.
 */
export function createKeyExplain({
  authz,
  visibility,
  limits,
  credentials,
}: KeyExplainDependencies) {
  async function limitSteps(
    { quota_owner }: Principal,
    kind: CallKind,
  ): Promise<ExplanationStep[]> {
    return (await limits.windows(quota_owner, kind)).map(({ window, ...use }) =>
      step('limit', `${kind}s_per_${window}`, use.used < use.limit, use),
    );
  }

  /** Returns the item's own steps and the call kind of a use; null if there is no such item. */
  async function itemSteps(caller: AgentPrincipal, { family, item }: ExplainTarget) {
    const view = await visibility.view(caller);
    if (family === 'tool' && systemToolNames.some((name) => name === item))
      return {
        steps: [step('relation', 'can_connect', view.connected, {})],
        kind: 'system_call' as const,
      };
    const found = findNamed(visibility.everything(view, family), item);
    if (found === undefined) return null;
    const permissions = await permissionsFor(caller, found);
    const steps = visibility.explain({ ...view, permissions }, found);
    return { steps, kind: KINDS[family] };
  }

  /**
   * Checks the tool's permission here, since a view checks it only for tools that pass all other
   * checks.
   */
  async function permissionsFor(caller: AgentPrincipal, item: Item): Promise<ReadonlySet<string>> {
    const needed = item.family === 'tool' ? item.requires.permission : undefined;
    if (needed === undefined) return new Set();
    const answers = await authz.check(caller, [needed]);
    return new Set(answers.get(needed) === true ? [needed] : []);
  }

  /**
   * Adds to each relation step the tuples that OpenFGA's answer is based on, or the missing ones.
   */
  async function withTuples(caller: AgentPrincipal, steps: readonly ExplanationStep[]) {
    const relations = steps.filter(({ layer }) => layer === 'relation').map(({ rule }) => rule);
    const proofs = await authz.explain(caller, relations);
    return steps.map((one) => {
      const proof = one.layer === 'relation' ? proofs.get(one.rule) : undefined;
      if (proof === undefined) return one;
      const { holds, tuples } = proof;
      return { ...one, evidence: holds ? { path: tuples } : { missing: tuples } };
    });
  }

  return async function explain(key_id: string, target: ExplainTarget): Promise<Explanation> {
    const found = await credentials.find(key_id);
    if (found === null) throw absent();
    const { principal: caller, usable, state } = found;
    const credential = step('credential', 'usable', usable, state);
    const item = await itemSteps(caller, target);
    if (item === null)
      return conclude([
        credential,
        step('item', 'exists', false, { [target.family]: target.item }),
      ]);
    const [steps, limited] = await Promise.all([
      withTuples(caller, item.steps),
      limitSteps(caller, item.kind),
    ]);
    return conclude([credential, ...steps, ...limited]);
  };
}

/**
 * Finds an item as requests name it: by id in either case, name or path in any normal form, or URI.
 */
function findNamed(all: readonly Item[], target: string): Item | undefined {
  const [id, name] = [target.toLowerCase(), target.normalize('NFC')];
  return (
    all.find((item) => item.id === id) ??
    all.find((item) => item.name === name || (item.family === 'resource' && item.uri === target))
  );
}

const step = (
  layer: ExplanationStep['layer'],
  rule: string,
  allows: boolean,
  evidence: Record<string, unknown>,
): ExplanationStep => ({ layer, rule, outcome: allows ? 'allow' : 'deny', evidence });

/** Returns the explanation; its outcome is `deny` if any step denies. */
const conclude = (steps: ExplanationStep[]): Explanation => ({
  outcome: steps.every(({ outcome }) => outcome === 'allow') ? 'allow' : 'deny',
  steps,
});
