import { missingScope } from '../authz/authz.ts';
import type { Authz, Check, Proof } from '../authz/authz.ts';
import type { AgentPrincipal, Principal } from '../caller/principal.ts';
import { isAllowedAddress, isOutsideHours } from '../caller/restrictions/restrictions.ts';
import { isReservedToolName, systemToolNames } from '../catalog/catalog.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Family } from '../content/items/schema.ts';
import type { CallKind, Limits } from '../limits/limits.ts';
import { absent } from '../platform/errors/refusal.ts';
import type { HiddenReason } from '../visibility/schema.ts';
import type { Denial, Item, View, Visibility } from '../visibility/visibility.ts';
import type { IsKnown } from './known-items.ts';
import type { Explanation, ExplanationStep } from './schema.ts';

export interface KeyExplainDependencies {
  authz: Pick<Authz, 'explain'>;
  visibility: Pick<
    Visibility,
    'view' | 'allItems' | 'explain' | 'hasPermission' | 'permissionCheck'
  >;
  limits: Pick<Limits, 'windows'>;
  credentials: Pick<Credentials, 'find'>;
}

/** The item to explain, identified by its name, path, URI or id. */
export interface ExplainTarget {
  family: Family;
  item: string;
  /** The client's address; by default one that is allowed. */
  address?: string | undefined;
}

// The kind of call as which the use of an item counts, by family; agents are read with `bootstrap`.
const KINDS = {
  tool: 'tool_call',
  prompt: 'content_read',
  resource: 'content_read',
  agent: 'system_call',
} as const satisfies Record<Family, CallKind>;

/**
 * Creates `explain`, which returns why a key may or may not use an item: every check of the
 * decision, with its evidence. Only for the key's owner and operators. Does not count as a call.
 */
export function createKeyExplain({
  authz,
  visibility,
  limits,
  credentials,
}: KeyExplainDependencies) {
  const itemSteps = createItemSteps(visibility);

  async function limitSteps({ quota_owner }: Principal, kind: CallKind): Promise<ExplainedStep[]> {
    return (await limits.windows(quota_owner, kind)).map(({ window, ...use }) =>
      step('limit', `${kind}s_per_${window}`, use.used < use.limit, use),
    );
  }

  /**
   * Adds the tuples that OpenFGA's answer is based on, or the missing ones, to each relation step.
   */
  async function addTuples(
    caller: AgentPrincipal,
    steps: readonly ExplainedStep[],
  ): Promise<ExplainedStep[]> {
    const checked = steps.flatMap(({ check }) => check ?? []);
    const byObject = Map.groupBy(checked, ({ object }) => object);
    const proofs = new Map<string, ReadonlyMap<string, Proof>>();
    for (const [object, checks] of byObject)
      proofs.set(
        object,
        await authz.explain(
          caller,
          checks.map(({ relation }) => relation),
          object,
        ),
      );
    return steps.map((current) => {
      const { check } = current;
      const proof = check && proofs.get(check.object)?.get(check.relation);
      if (!check || proof === undefined) return current;
      const { holds, tuples } = proof;
      // The tuples allow it, but what the client may have now does not.
      const scope = missingScope(caller, check);
      if (scope !== null) return { ...current, evidence: { missing_scope: scope } };
      return { ...current, evidence: holds ? { path: tuples } : { missing: tuples } };
    });
  }

  async function stepsOf(
    key_id: string,
    target: ExplainTarget,
    isKnown: IsKnown,
  ): Promise<ExplainedStep[]> {
    const found = await credentials.find(key_id);
    if (found === null) throw absent();
    const { principal: caller, usable, state, read_at: now } = found;
    const ofCredential = [
      step('credential', 'usable', usable, state),
      ...restrictionSteps(caller, { address: target.address, now }),
      ...organizationSteps(caller),
    ];
    const item = await itemSteps(caller, target, isKnown);
    if (item === null)
      return [...ofCredential, step('item', 'exists', false, { [target.family]: target.item })];
    const [steps, limited] = await Promise.all([
      addTuples(caller, item.steps),
      limitSteps(caller, item.kind),
    ]);
    return [...ofCredential, ...listingSteps(caller, target), ...steps, ...limited];
  }

  return {
    /** Returns every step with the check that decided it, and why it denies. */
    stepsOf,
    async explain(key_id: string, target: ExplainTarget, isKnown: IsKnown = () => true) {
      const steps = await stepsOf(key_id, target, isKnown);
      return conclude(steps.map(({ check: _check, reason: _reason, as: _as, ...shown }) => shown));
    },
  };
}

/** Creates a function that explains a key's access to one item. */
function createItemSteps(visibility: KeyExplainDependencies['visibility']) {
  /**
   * Checks the tool's permission here, since a view checks it only for tools that pass all other
   * checks.
   */
  async function permissionsFor(
    caller: AgentPrincipal,
    view: View,
    item: Item,
  ): Promise<ReadonlySet<string>> {
    const needed = permissionOf(item);
    const isHeld = needed !== undefined && (await visibility.hasPermission(caller, view, needed));
    return new Set(isHeld ? [needed] : []);
  }

  /**
   * Returns the item's own steps and the kind of call of its use; null if there is no such item.
   */
  return async function itemSteps(
    caller: AgentPrincipal,
    { family, item }: ExplainTarget,
    isKnown: IsKnown,
  ) {
    const view = await visibility.view(caller);
    if (family === 'tool' && isReservedToolName(item))
      return { steps: ownToolSteps(caller, view, item), kind: 'system_call' as const };
    const found = findItemByReference(visibility.allItems(view, family), item, (candidate) =>
      isKnown(view, candidate),
    );
    if (found === undefined) return null;
    const permissions = view.connected
      ? await permissionsFor(caller, view, found)
      : new Set<string>();
    const steps = visibility
      .explain({ ...view, permissions }, found)
      .map((current) =>
        current.rule === permissionOf(found)
          ? permissionStep(current, visibility.permissionCheck(caller, view, current.rule))
          : onContext(caller, current),
      );
    return { steps, kind: KINDS[family] };
  };
}

/** Returns the steps of a tool of the gateway itself. */
function ownToolSteps(
  caller: AgentPrincipal,
  { connected, capabilities }: View,
  name: string,
): ExplainedStep[] {
  const connecting = onContext(caller, step('relation', 'can_connect', connected, {}));
  if (systemToolNames.includes(name)) return [connecting];
  const { tool_listing } = caller;
  return [
    connecting,
    onContext(caller, step('relation', 'can_use_tools', capabilities.has('tools'), {})),
    step('item', 'tool_listing', tool_listing === 'search', { tool_listing }),
  ];
}

/** Returns the step that says how a credential finds a tool, if it does not list it. */
const listingSteps = ({ tool_listing }: AgentPrincipal, { family, item }: ExplainTarget) =>
  family === 'tool' && tool_listing === 'search' && !isReservedToolName(item)
    ? [step('credential', 'tool_listing', true, { tool_listing })]
    : [];

/**
 * Finds a known item by its id in upper or lower case, its name or path in any Unicode normalization
 * form, or its URI.
 */
function findItemByReference(
  all: readonly Item[],
  target: string,
  isKnown: (item: Item) => boolean,
): Item | undefined {
  const [id, name] = [target.toLowerCase(), target.normalize('NFC')];
  const isNamed = (item: Item) =>
    item.name === name || (item.family === 'resource' && item.uri === target);
  return (
    all.find((item) => item.id === id && isKnown(item)) ??
    all.find((item) => isNamed(item) && isKnown(item))
  );
}

const permissionOf = (item: Item): string | undefined =>
  item.family === 'tool' ? item.requires.permission : undefined;

/**
 * A step with the check that decided it, if it is a relation; of a rule about the item, also why the
 * item is hidden if it denies, and how the agent is told.
 */
export type ExplainedStep = ExplanationStep & {
  check?: Check;
  reason?: HiddenReason;
  as?: Denial['as'];
};

/** Adds to a relation step that the caller's context object decides it. */
const onContext = ({ context: object }: Principal, current: ExplainedStep): ExplainedStep =>
  current.layer === 'relation'
    ? { ...current, check: { object, relation: current.rule } }
    : current;

/**
 * Returns the step of a management tool's permission, under the name of the relation that decided
 * it: in an organization, a person's key needs none for the person's own space.
 */
const permissionStep = (current: ExplainedStep, check: Check | null): ExplainedStep =>
  check === null
    ? { ...current, evidence: { teams: 'none' } }
    : { ...current, rule: check.relation, check };

/** Returns the steps that refuse a credential from where, and when, it does not work. */
function restrictionSteps(
  { restrictions }: AgentPrincipal,
  { address, now }: { address: string | undefined; now: Date | undefined },
): ExplanationStep[] {
  const { allowed_addresses = null, hours = null } = restrictions ?? {};
  const isAllowed = (networks: readonly string[]) =>
    address === undefined || isAllowedAddress(networks, address);
  return [
    ...(allowed_addresses === null
      ? []
      : [
          step('credential', 'address_allowed', isAllowed(allowed_addresses), {
            allowed_addresses,
            ...(address === undefined ? {} : { address }),
          }),
        ]),
    ...(hours === null
      ? []
      : [
          step('credential', 'within_hours', !isOutsideHours(hours, now), {
            hours,
            ...(now === undefined ? {} : { at: now.toISOString() }),
          }),
        ]),
  ];
}

/** Returns the step that refuses a credential's requests while its organization is suspended. */
const organizationSteps = ({ organization }: Principal): ExplanationStep[] =>
  organization === null
    ? []
    : [
        step('credential', 'organization_active', organization.status !== 'suspended', {
          status: organization.status,
        }),
      ];

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
