import { toJsonPointer } from '../../platform/json/json-pointer.ts';
import type { PromptItem } from '../../visibility/visibility.ts';
import { invalidParams } from '../protocol/errors.ts';
import type { Issue } from '../protocol/errors.ts';

type Values = Readonly<Record<string, string>>;

/** Returns the arguments of `prompts/get`; throws if any is missing, unknown or not a string. */
export function checkPromptArguments(declared: PromptItem['arguments'], params: unknown): Values {
  const { arguments: sent = {} } = (params ?? {}) as { arguments?: unknown };
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw invalidParams([{ pointer: '/arguments', message: 'must be an object' }]);
  const issues = issuesOf(declared, sent as Readonly<Record<string, unknown>>);
  if (issues.length > 0) throw invalidParams(issues.slice(0, MAX_ISSUES));
  return sent as Values;
}

const MAX_ISSUES = 20;

function issuesOf(
  declared: PromptItem['arguments'],
  sent: Readonly<Record<string, unknown>>,
): Issue[] {
  const known = new Set(declared.map(({ name }) => name));
  const missing = declared.filter(({ name, required }) => required && !Object.hasOwn(sent, name));
  return [
    ...missing.map(({ name }) => ({ pointer: `/arguments/${name}`, message: 'is required' })),
    ...Object.entries(sent).flatMap(([name, value]) => {
      const pointer = toJsonPointer(['arguments', name.slice(0, 64)]);
      if (!known.has(name)) return [{ pointer, message: 'is not an argument of this prompt' }];
      return typeof value === 'string' ? [] : [{ pointer, message: 'must be a string' }];
    }),
  ];
}
