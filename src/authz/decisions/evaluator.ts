import type { AuthorizationModel, Userset } from '@openfga/sdk';
import type { Tuple } from '../tuple.ts';

export type ModelShape = Omit<AuthorizationModel, 'id'>;

interface Relation {
  rule: Userset;
  subjects: ReadonlySet<string>;
}

export type Schema = ReadonlyMap<string, ReadonlyMap<string, Relation>>;

/**
 * The tuples that make a relation hold or, if it does not hold, the missing tuples that could make
 * it hold, where known.
 */
export interface Proof {
  holds: boolean;
  tuples: readonly Tuple[];
}

/** The server's maximum resolution depth: deeper checks fail on the server, and throw here. */
const DEPTH_LIMIT = 25;

/** Tuples by object and relation, without those that the model does not accept. */
export class TupleIndex {
  readonly #schema: Schema;
  readonly #stored = new Map<string, Tuple[]>();
  constructor(schema: Schema, tuples: Iterable<Tuple> = []) {
    this.#schema = schema;
    this.add(tuples);
  }

  add(tuples: Iterable<Tuple>): void {
    for (const tuple of tuples) {
      if (!acceptsTuple(this.#schema, tuple)) continue;
      const key = `${tuple.object}#${tuple.relation}`;
      const others = this.#stored.get(key);
      if (others === undefined) this.#stored.set(key, [tuple]);
      else others.push(tuple);
    }
  }

  at(object: string, relation: string): readonly Tuple[] {
    return this.#stored.get(`${object}#${relation}`) ?? [];
  }
}

/**
 * Returns a function that evaluates OpenFGA checks over tuples in memory, and also returns the
 * reason, which OpenFGA does not. Supports what the model uses: union, intersection, `x from y`,
 * wildcards and usersets. Explains decisions and never makes them. `consult` is called with each
 * relation of an object whose tuples a result depends on, for callers that do not have all tuples
 * yet.
 */
export function createProver(
  schema: Schema,
  tuples: Iterable<Tuple> | TupleIndex,
  consult: (object: string, relation: string) => void = () => {},
) {
  const known = new Map<string, Proof>();
  const stored = tuples instanceof TupleIndex ? tuples : new TupleIndex(schema, tuples);
  function tuplesAt(object: string, relation: string): readonly Tuple[] {
    consult(object, relation);
    return stored.at(object, relation);
  }

  function prove(user: string, relation: string, object: string, depth: number): Proof {
    const key = `${user} ${relation} ${object}`;
    const proved = known.get(key);
    if (proved !== undefined) return proved;
    if (depth > DEPTH_LIMIT) throw new Error(`relation nested too deeply: ${key}`);
    const definition = schema.get(typeOf(object))?.get(relation);
    if (definition === undefined) throw new Error(`no relation ${relation} on ${object}`);
    const proof = evaluateRule(definition.rule, { user, relation, object }, depth + 1);
    known.set(key, proof);
    return proof;
  }

  function evaluateRule(rule: Userset, goal: Tuple, depth: number): Proof {
    const { user, relation, object } = goal;
    const evaluate = (child: Userset) => evaluateRule(child, goal, depth);
    if (rule.union) return anyOf(rule.union.child.values().map(evaluate));
    if (rule.intersection) return allOf(rule.intersection.child.map(evaluate));
    if (rule.computedUserset?.relation)
      return prove(user, rule.computedUserset.relation, object, depth);
    if (rule.tupleToUserset) {
      const { tupleset, computedUserset } = rule.tupleToUserset;
      const next = computedUserset.relation ?? '';
      return anyOf(
        tuplesAt(object, tupleset.relation ?? '')
          .values()
          .filter((edge) => schema.get(typeOf(edge.user))?.has(next) === true)
          .map((edge) => throughEdge(edge, prove(user, next, edge.user, depth))),
      );
    }
    if (!rule.this) throw new Error(`unknown kind of rule: ${JSON.stringify(rule)}`);
    const found = anyOf(
      tuplesAt(object, relation)
        .values()
        .map((edge) => proveThroughEdge(edge, user, depth)),
    );
    if (found.holds) return found;
    const isDirect = schema.get(typeOf(object))?.get(relation)?.subjects.has(typeOf(user));
    return isDirect ? { holds: false, tuples: [goal, ...found.tuples] } : found;
  }

  function proveThroughEdge(edge: Tuple, user: string, depth: number): Proof {
    if (edge.user === user || edge.user === `${typeOf(user)}:*`)
      return { holds: true, tuples: [edge] };
    const [object = '', relation] = edge.user.split('#');
    return relation === undefined ? NEVER : throughEdge(edge, prove(user, relation, object, depth));
  }

  return (user: string, relation: string, object: string) => prove(user, relation, object, 0);
}

const NEVER: Proof = { holds: false, tuples: [] };

/** Adds the edge to a proof that holds; otherwise the missing tuples are beyond the edge. */
const throughEdge = (edge: Tuple, { holds, tuples }: Proof): Proof => ({
  holds,
  tuples: holds ? [edge, ...tuples] : tuples,
});

/** Returns the first proof that holds; if none does, all missing tuples, as any could help. */
function anyOf(proofs: Iterable<Proof>): Proof {
  const missing: Tuple[] = [];
  for (const proof of proofs) {
    if (proof.holds) return proof;
    missing.push(...proof.tuples);
  }
  return { holds: false, tuples: missing };
}

/** Lists the missing tuples only if they are known for every part that fails. */
function allOf(proofs: readonly Proof[]): Proof {
  const failed = proofs.filter(({ holds }) => !holds);
  if (failed.some(({ tuples }) => tuples.length === 0)) return NEVER;
  const relevant = failed.length > 0 ? failed : proofs;
  return { holds: failed.length === 0, tuples: relevant.flatMap(({ tuples }) => tuples) };
}

/** Returns relations by type, with the subjects they accept: `user`, `everyone#any`, `user:*`. */
export function schemaOf(model: ModelShape): Schema {
  return new Map(
    model.type_definitions.map((type) => {
      const relations = Object.entries(type.relations ?? {}).map(([name, rule]) => {
        const types = type.metadata?.relations?.[name]?.directly_related_user_types ?? [];
        return [name, { rule, subjects: new Set(types.map(subjectText)) }] as const;
      });
      return [type.type, new Map(relations)] as const;
    }),
  );
}

/** Returns whether the model accepts the tuple; the server ignores stored tuples it does not. */
export function acceptsTuple(schema: Schema, { user, relation, object }: Tuple): boolean {
  const definition = schema.get(typeOf(object))?.get(relation);
  const [id = '', userset] = user.split('#');
  const plain = id.endsWith(':*') ? id : typeOf(id);
  return definition?.subjects.has(userset === undefined ? plain : `${plain}#${userset}`) ?? false;
}

export function typeOf(object: string): string {
  return object.slice(0, object.indexOf(':'));
}

/** Formats a subject type as in the model's source text. */
function subjectText(subject: { type: string; relation?: string; wildcard?: object }): string {
  if (subject.wildcard) return `${subject.type}:*`;
  return subject.relation ? `${subject.type}#${subject.relation}` : subject.type;
}
