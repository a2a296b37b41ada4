import type { Userset } from '@openfga/sdk';
import type { Schema } from './evaluator.ts';

/** The model with one small fault. */
export interface Mutant {
  name: string;
  type: string;
  relation: string;
  schema: Schema;
}

/** Returns each relation emptied, without each operand, and without each accepted subject type. */
export function mutantsOf(schema: Schema): Mutant[] {
  return [...schema].flatMap(([type, relations]) =>
    [...relations].flatMap(([relation, { rule, subjects }]) => {
      const name = `${type}#${relation}`;
      const replace = (fault: string, newRule: Userset, newSubjects: ReadonlySet<string>) => ({
        name: `${name} ${fault}`,
        type,
        relation,
        schema: new Map(schema).set(
          type,
          new Map(relations).set(relation, { rule: newRule, subjects: newSubjects }),
        ),
      });

      return [
        replace('is empty', { union: { child: [] } }, new Set()),
        ...withoutOneOperand(rule).map(([operand, rest]) =>
          replace(`without ${operand}`, rest, subjects),
        ),
        ...[...subjects].map((subject) =>
          replace(`does not accept ${subject}`, rule, subjects.difference(new Set([subject]))),
        ),
      ];
    }),
  );
}

function withoutOneOperand(rule: Userset): [string, Userset][] {
  const kind = rule.union ? 'union' : 'intersection';
  const child = rule[kind]?.child;
  if (child === undefined) return [];

  return child.flatMap((operand, index): [string, Userset][] => [
    [JSON.stringify(operand), { [kind]: { child: child.toSpliced(index, 1) } }],
    ...withoutOneOperand(operand).map(([name, rest]): [string, Userset] => [
      name,
      { [kind]: { child: child.with(index, rest) } },
    ]),
  ]);
}
