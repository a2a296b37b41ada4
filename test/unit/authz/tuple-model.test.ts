import { expect, test } from 'vitest';
import { loadModel, tupleModelOf } from '../../../src/authz/engine/model.ts';

const whole = await loadModel();
const tuples = tupleModelOf(whole);

const assignableIn = ({ type_definitions }: typeof whole) =>
  type_definitions.flatMap(({ type, metadata }) =>
    Object.entries(metadata?.relations ?? {})
      .filter(([, { directly_related_user_types = [] }]) => directly_related_user_types.length > 0)
      .map(([relation, { directly_related_user_types }]) => ({
        relation: `${type}#${relation}`,
        users: directly_related_user_types,
      })),
  );

test('the model of tuples accepts exactly the tuples that the whole model accepts', () => {
  expect(assignableIn(tuples)).toEqual(assignableIn(whole));
  expect(assignableIn(tuples).length).toBeGreaterThan(100);
  expect(tuples.type_definitions.map(({ type }) => type)).toEqual(
    whole.type_definitions.map(({ type }) => type),
  );
});

test('the model of tuples computes nothing: its relations are only assigned', () => {
  for (const { relations } of tuples.type_definitions)
    for (const rewrite of Object.values(relations ?? {})) expect(rewrite).toEqual({ this: {} });
});
