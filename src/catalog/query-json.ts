import {
  compile,
  isRegistered,
  register,
  TreeInterpreter,
  TYPE_ANY,
  TYPE_STRING,
} from '@jmespath-community/jmespath';
import { ToolFailure } from './tool-failure.ts';

type Expression = ReturnType<typeof compile>;
type Json = Parameters<typeof TreeInterpreter.search>[1];
type Node = Record<string, unknown>;

// Queries cannot call this function, because function names in queries contain no spaces.
const OWN_FIELD = 'own field';
const TAKES_EXPRESSIONS = new Set(['group_by', 'map', 'max_by', 'min_by', 'sort_by']);

/** Returns the result of a JMESPath expression; null for a path that does not exist. */
export function queryJson(document: unknown, query: string): unknown {
  if (!isRegistered(OWN_FIELD))
    register(OWN_FIELD, readOwnField, [{ types: [TYPE_ANY] }, { types: [TYPE_STRING] }]);
  const expression = guard(compile(query)) as Expression;
  const result: unknown = TreeInterpreter.search(expression, document as Json) ?? null;
  requireJson(result);
  return result;
}

/** Prevents reads of inherited properties, and `&` expressions that return the syntax tree. */
function guard(node: unknown, takesExpression = false): unknown {
  if (Array.isArray(node)) return node.map((child: unknown) => guard(child, takesExpression));
  if (!isNode(node) || node['type'] === 'Literal') return node;
  if (node['type'] === 'ExpressionReference' && !takesExpression)
    throw new Error(
      '& is only allowed before an argument of map, sort_by, min_by, max_by or group_by',
    );
  if (node['type'] === 'Field' && String(node['name']) in Object.prototype)
    return {
      type: 'Function',
      name: OWN_FIELD,
      children: [{ type: 'Current' }, { type: 'Literal', value: node['name'] }],
    };
  const childTakesExpression =
    node['type'] === 'Function' && TAKES_EXPRESSIONS.has(String(node['name']));
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, guard(value, childTakesExpression)]),
  );
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function readOwnField([value, name]: unknown[]): Json {
  const hasField = isNode(value) && !Array.isArray(value) && Object.hasOwn(value, String(name));
  return hasField ? (value[String(name)] as Json) : null;
}

/** Throws for values that JSON would silently turn into null or drop. */
function requireJson(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new ToolFailure('out_of_range', 'The result contains a number too large for JSON.');
  if (typeof value === 'function') throw new Error('the result is not JSON');
  if (isNode(value)) for (const item of Object.values(value)) requireJson(item);
}
