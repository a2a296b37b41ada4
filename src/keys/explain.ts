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

/** What is asked about: an item by its name, path, URI or id. */
export interface ExplainTarget {
  family: Family;
  item: string;
}

// What a use of each family is counted as: an agent is had by `bootstrap`.
const KINDS = {
  tool: 'tool_call',
  prompt: 'content_read',
  resource: 'content_read',
  agent: 'system_call',
} as const satisfies Record<Family, CallKind>;

/**
 * Why a key may have an item, or may not: every step of what decides for its agents, with what
 * each stands on. Only for the key's owner, and an operator; nothing is counted.
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

  /** What the item's own steps are, and what a use of it counts as; null: there is no such item. */
  async function itemSteps(caller: AgentPrincipal, { family, item }: ExplainTarget) {
    const view = await visibility.view(caller);
    if (family === 'tool' && systemToolNames.some((name) => name === item))
      return {
        steps: [step('relation', 'can_connect', view.connected, {})],
        kind: 'system_call' as const,
      };
    const found = named(visibility.everything(view, family), item);
    if (found === undefined) return null;
    const permissions = await permissionsFor(caller, found);
    const steps = visibility.explain({ ...view, permissions }, found);
    return { steps, kind: KINDS[family] };
  }

  /** A view asks for a permission only where nothing else stands against the tool. */
  async function permissionsFor(caller: AgentPrincipal, item: Item): Promise<ReadonlySet<string>> {
    const needed = item.family === 'tool' ? item.requires.permission : undefined;
    if (needed === undefined) return new Set();
    const answers = await authz.check(caller, [needed]);
    return new Set(answers.get(needed) === true ? [needed] : []);
  }

  /** The tuples an answer of OpenFGA stands on, or those that are missing. */
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

  return async function explain(key_id: string, asked: ExplainTarget): Promise<Explanation> {
    const found = await credentials.find(key_id);
    if (found === null) throw absent();
    const { principal: caller, usable, state } = found;
    const credential = step('credential', 'usable', usable, state);
    const item = await itemSteps(caller, asked);
    if (item === null)
      return conclude([credential, step('item', 'exists', false, { [asked.family]: asked.item })]);
    const [steps, limited] = await Promise.all([
      withTuples(caller, item.steps),
      limitSteps(caller, item.kind),
    ]);
    return conclude([credential, ...steps, ...limited]);
  };
}

/** As requests name it: an id in either case, a name or path in any normal form, or the URI. */
function named(all: readonly Item[], asked: string): Item | undefined {
  const [id, name] = [asked.toLowerCase(), asked.normalize('NFC')];
  return (
    all.find((item) => item.id === id) ??
    all.find((item) => item.name === name || (item.family === 'resource' && item.uri === asked))
  );
}

const step = (
  layer: ExplanationStep['layer'],
  rule: string,
  allows: boolean,
  evidence: Record<string, unknown>,
): ExplanationStep => ({ layer, rule, outcome: allows ? 'allow' : 'deny', evidence });

/** One no is enough. */
const conclude = (steps: ExplanationStep[]): Explanation => ({
  outcome: steps.every(({ outcome }) => outcome === 'allow') ? 'allow' : 'deny',
  steps,
});
