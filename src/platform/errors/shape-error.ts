import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

/**
 * Words zod's issues as requirements: "must be a string". Pass it as `error` when parsing; a
 * schema's own message takes precedence.
 */
export function shapeError(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${withArticle(issue.expected)}`;
    case 'invalid_value':
      return `must be ${describeValues(issue.values.map((value) => JSON.stringify(value) ?? String(value)))}`;
    case 'too_small':
      return describeSize(issue, 'at least', 'more than', issue.minimum);
    case 'too_big':
      return describeSize(issue, 'at most', 'less than', issue.maximum);
    case 'invalid_format':
      return formats.get(issue.format) ?? `must be a valid ${issue.format}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `must not have the field ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
    case 'invalid_union':
      return 'must have one of the documented shapes';
    case 'custom':
    case 'invalid_key':
    case 'invalid_element':
    default:
      return 'must have the documented form';
  }
}

const formats = new Map([
  ['email', 'must be an e-mail address'],
  ['url', 'must be a URL'],
  ['uuid', 'must be a UUID'],
  ['guid', 'must be an id: a UUID'],
  ['datetime', 'must be a date and time in ISO 8601, with a time zone'],
  ['date', 'must be a date: YYYY-MM-DD'],
  ['regex', 'must have the documented form'],
  ['base64', 'must be base64'],
  ['base64url', 'must be base64url'],
]);

const types: Readonly<Record<string, string>> = {
  array: 'an array',
  object: 'an object',
  record: 'an object',
  int: 'an integer',
  null: 'null',
  undefined: 'left out',
};
const withArticle = (type: string) => types[type] ?? `a ${type}`;

const describeValues = (values: readonly string[]) =>
  values.length === 1 ? values[0]! : `one of ${values.join(', ')}`;

/** Unit of a limited size; a number is limited by its value, without a unit. */
const units: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'entry',
  set: 'entry',
  map: 'entry',
  file: 'byte',
};

function describeSize(
  { origin, inclusive }: { origin: string; inclusive?: boolean | undefined },
  within: string,
  beyond: string,
  limit: number | bigint,
): string {
  const bound = `${inclusive === false ? beyond : within} ${limit}`;
  const unit = units[origin];
  if (unit === undefined) return `must be ${bound}`;
  const plural = unit === 'entry' ? 'entries' : `${unit}s`;
  return `must have ${bound} ${Number(limit) === 1 ? unit : plural}`;
}
