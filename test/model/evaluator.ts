import type { AuthorizationModel, Userset } from '@openfga/sdk';
import type { Tuple } from '../../src/authz/tuple.ts';

export type ModelShape = Omit<AuthorizationModel, 'id'>;

/** The questions OpenFGA answers, answered in memory over tuples. */
export interface Evaluator {
  check(user: string, relation: string, object: string): boolean;
  listObjects(user: string, relation: string, type: string): string[];
  listUsers(object: string, relation: string, type: string): string[];
}

interface Relation {
  rule: Userset;
  subjects: ReadonlySet<string>;
}

export type Schema = ReadonlyMap<string, ReadonlyMap<string, Relation>>;

/** Deeper than the server resolves; it answers such a question with an error, so does this. */
const DEPTH_LIMIT = 25;

/** Union, intersection, `x from y`, wildcards and usersets: all that the model uses. */
export function createEvaluator(schema: Schema, tuples: Iterable<Tuple>): Evaluator {
  const subjects = new Map<string, Set<string>>();
  const objects = new Set<string>();
  const users = new Set<string>();
  const answers = new Map<string, boolean>();

  for (const tuple of tuples) {
    if (!accepts(schema, tuple)) continue;
    const key = `${tuple.object}#${tuple.relation}`;
    subjects.set(key, (subjects.get(key) ?? new Set()).add(tuple.user));
    objects.add(tuple.object);
    users.add(tuple.user);
  }

  function check(user: string, relation: string, object: string, depth = 0): boolean {
    const key = `${user} ${relation} ${object}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    if (depth > DEPTH_LIMIT) throw new Error(`too deep: ${key}`);

    const definition = schema.get(typeOf(object))?.get(relation);
    if (definition === undefined) throw new Error(`no relation ${relation} on ${object}`);
    const answer = holds(definition.rule, user, relation, object, depth + 1);
    answers.set(key, answer);
    return answer;
  }

  function holds(
    rule: Userset,
    user: string,
    relation: string,
    object: string,
    depth: number,
  ): boolean {
    const again = (child: Userset) => holds(child, user, relation, object, depth);
    if (rule.union) return rule.union.child.some(again);
    if (rule.intersection) return rule.intersection.child.every(again);
    if (rule.computedUserset?.relation) {
      return check(user, rule.computedUserset.relation, object, depth);
    }
    if (rule.tupleToUserset) {
      const { tupleset, computedUserset } = rule.tupleToUserset;
      return subjectsOf(object, tupleset.relation ?? '').some(
        (parent) =>
          defines(parent, computedUserset.relation ?? '') &&
          check(user, computedUserset.relation ?? '', parent, depth),
      );
    }
    if (rule.this) return subjectsOf(object, relation).some((one) => matches(one, user, depth));
    throw new Error(`a rule this evaluator does not know: ${JSON.stringify(rule)}`);
  }

  function matches(subject: string, user: string, depth: number): boolean {
    if (subject === user || subject === `${typeOf(user)}:*`) return true;
    const [object, relation] = subject.split('#');
    return relation !== undefined && check(user, relation, object ?? '', depth);
  }

  const subjectsOf = (object: string, relation: string): string[] => [
    ...(subjects.get(`${object}#${relation}`) ?? []),
  ];
  const defines = (object: string, relation: string) =>
    schema.get(typeOf(object))?.has(relation) ?? false;

  return {
    check: (user, relation, object) => check(user, relation, object),
    listObjects: (user, relation, type) =>
      [...objects]
        .filter((object) => typeOf(object) === type && check(user, relation, object))
        .toSorted(),
    listUsers: (object, relation, type) =>
      [...users]
        .filter((user) => typeOf(user) === type && !/[#*]/.test(user))
        .filter((user) => check(user, relation, object))
        .toSorted(),
  };
}

/** Relations by type, each with the subjects it takes: `user`, `everyone#any`, `user:*`. */
export function schemaOf(model: ModelShape): Schema {
  return new Map(
    model.type_definitions.map((type) => {
      const relations = Object.entries(type.relations ?? {}).map(([name, rule]) => {
        const taken = type.metadata?.relations?.[name]?.directly_related_user_types ?? [];
        return [name, { rule, subjects: new Set(taken.map(subjectText)) }] as const;
      });
      return [type.type, new Map(relations)] as const;
    }),
  );
}

/** The server refuses other tuples, and passes over those an older model took. */
function accepts(schema: Schema, { user, relation, object }: Tuple): boolean {
  const definition = schema.get(typeOf(object))?.get(relation);
  const [id = '', userset] = user.split('#');
  const plain = id.endsWith(':*') ? id : typeOf(id);
  return definition?.subjects.has(userset === undefined ? plain : `${plain}#${userset}`) ?? false;
}

export function typeOf(object: string): string {
  return object.slice(0, object.indexOf(':'));
}

function subjectText(subject: { type: string; relation?: string; wildcard?: object }): string {
  if (subject.wildcard) return `${subject.type}:*`;
  return subject.relation ? `${subject.type}#${subject.relation}` : subject.type;
}
