import { ToolFailure } from '../../catalog/catalog.ts';
import { isRecord } from './schema-walk.ts';

/** Text with placeholders: `{{argument}}` of the call, `{{secret.NAME}}` of the tool. */
export type Template = readonly Part[];
export type Part = string | Placeholder;
export interface Placeholder {
  from: 'arguments' | 'secrets';
  name: string;
}

/** Values for the placeholders of one call. */
export interface Values {
  arguments: Readonly<Record<string, unknown>>;
  secrets: ReadonlyMap<string, string>;
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/;
const NAME = /^(secret\.)?([A-Za-z_][A-Za-z0-9_-]{0,63})$/;

/** Parses a template; throws an `Error` whose message is shown to the author. */
export function parseTemplate(text: string): Template {
  if (!text.includes('{{')) return text === '' ? [] : [text];
  // Every second piece is the text between braces.
  return text.split(PLACEHOLDER).flatMap((segment, index): Part[] => {
    if (index % 2 === 0) {
      if (segment.includes('{{')) throw new Error('`{{` starts a placeholder that is not closed.');
      return segment === '' ? [] : [segment];
    }
    const [, secret, name] = NAME.exec(segment.trim()) ?? [];
    if (name === undefined)
      throw new Error(
        `\`{{${segment.slice(0, 80)}}}\` must be an argument or a secret, such as {{city}} or {{secret.TOKEN}}.`,
      );
    return [{ from: secret === undefined ? 'arguments' : 'secrets', name }];
  });
}

export const placeholdersOf = (template: Template): Placeholder[] =>
  template.filter((part) => typeof part !== 'string');

/** Returns the placeholder that a template consists of; null if there is more or nothing. */
export function onlyPlaceholder(template: Template): Placeholder | null {
  const [first, ...rest] = template;
  return rest.length === 0 && typeof first === 'object' ? first : null;
}

/** Yields every string of a JSON value; keys are not templates. */
export function* templatesIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* templatesIn(inner);
}

/**
 * Returns the value of a placeholder; undefined if the argument is absent or null. Throws
 * `ToolFailure` if the secret is not set.
 */
export function valueOf(placeholder: Placeholder, values: Values): unknown {
  if (placeholder.from === 'arguments')
    return Object.hasOwn(values.arguments, placeholder.name)
      ? (values.arguments[placeholder.name] ?? undefined)
      : undefined;
  const secret = values.secrets.get(placeholder.name);
  if (secret === undefined)
    throw new ToolFailure(
      'secret_missing',
      `The tool’s secret ${placeholder.name} is not set. Its owner can set it.`,
      { secret: placeholder.name },
    );
  return secret;
}

/** Renders a text, with `write` to serialize each value; undefined if an argument is absent. */
export function renderText(
  template: Template,
  values: Values,
  write: (value: unknown, placeholder: Placeholder) => string = (value, { name }) =>
    scalarText(value, name),
): string | undefined {
  const parts: string[] = [];
  for (const part of template) {
    if (typeof part === 'string') {
      parts.push(part);
      continue;
    }
    const value = valueOf(part, values);
    if (value === undefined) return undefined;
    parts.push(write(value, part));
  }
  return parts.join('');
}

/** Converts a string, number or boolean to text; throws `ToolFailure` for arrays and objects. */
export function scalarText(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw invalidArgument(name, 'must be a string, number or boolean here');
}

/**
 * Renders a JSON value. A string that is a single placeholder becomes the argument itself, of any
 * type; values with absent arguments are left out.
 */
export function renderJson(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    const template = parseTemplate(value);
    const only = onlyPlaceholder(template);
    if (only !== null) return valueOf(only, values);
    return renderText(template, values);
  }
  if (Array.isArray(value))
    return value
      .map((inner: unknown) => renderJson(inner, values))
      .filter((inner) => inner !== undefined);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]) => [key, renderJson(inner, values)] as const)
      .filter(([, inner]) => inner !== undefined),
  );
}

/** Error for an argument that fits the schema but cannot be sent in the request. */
export const invalidArgument = (name: string, reason: string) =>
  new ToolFailure('invalid_argument', `The argument ${name} ${reason}.`, { argument: name });
