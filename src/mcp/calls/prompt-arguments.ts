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
  if (issues.length > 0) throw invalidParams(issues);
  return sent as Values;
}

const MAX_ISSUES = 20;

function issuesOf(
  declared: PromptItem['arguments'],
  sent: Readonly<Record<string, unknown>>,
): Issue[] {
  const known = new Set(declared.map(({ name }) => name));
  const missing = declared.filter(({ name, required }) => required && !Object.hasOwn(sent, name));
  const issues = missing
    .slice(0, MAX_ISSUES)
    .map(({ name }) => ({ pointer: `/arguments/${name}`, message: 'is required' }));
  for (const name of Object.keys(sent)) {
    if (issues.length === MAX_ISSUES) break;
    const pointer = toJsonPointer(['arguments', name.slice(0, 64)]);
    if (!known.has(name)) issues.push({ pointer, message: 'is not an argument of this prompt' });
    else if (typeof sent[name] !== 'string') issues.push({ pointer, message: 'must be a string' });
  }
  return issues;
}
