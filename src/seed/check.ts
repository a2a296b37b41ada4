import { toJsonPointer } from '../platform/json/json-pointer.ts';
import { isRefusal } from '../platform/errors/refusal.ts';
import { shapeError } from '../platform/errors/shape-error.ts';
import { createNames, PLACEHOLDER, repeated } from './names.ts';
import type { BuiltIn } from './names.ts';
import type { Requests } from './requests.ts';
import type { OperatorActions } from './operator.ts';
import { SeedFile } from './schema.ts';
import { SeedRefused } from './source.ts';
import type { Path, Problem, Source } from './source.ts';
import type { Body, Step } from './steps/step.ts';
import { stepsOf } from './steps/steps.ts';

export interface CheckDependencies {
  builtIn: BuiltIn;
  requests: Pick<Requests, 'read'>;
  operator: Pick<OperatorActions, 'checkPerson' | 'newPassword'>;
}

/** A seed file that has the right form, and the steps that it takes. */
export interface Checked {
  file: SeedFile;
  steps: readonly Step[];
}

/**
 * Checks all that can be known before anything is created: fields, names that the file refers to, and
 * the bodies of all requests, by the schemas of their routes. Throws `SeedRefused` with every problem.
 */
export function checkSource(source: Source, dependencies: CheckDependencies): Checked {
  const { file, problems } = readFile(source);
  const steps = stepsOf(file);
  const names = createNames(
    dependencies.builtIn,
    file.organizations.map(({ name }) => name),
    problems,
  );
  for (const step of steps) {
    if (step.name !== null && names.has(step.name))
      problems.push({
        at: [...step.at, step.named_by ?? fieldOf(step)],
        message: repeated(step.name),
      });
    step.params(names);
    problems.push(...bodyProblems(step, step.body(names), dependencies));
    if (step.name !== null) names.set(step.name, PLACEHOLDER);
  }
  if (problems.length > 0) throw refusedBy(source, distinct(problems));
  return { file, steps };
}

/** Creates the error that lists these problems, in the order of the file. */
export function refusedBy({ place }: Source, problems: readonly Problem[]): SeedRefused {
  const placed = problems.map(place);
  return new SeedRefused(placed.toSorted((a, b) => a.line - b.line || a.column - b.column));
}

const fieldOf = ({ name }: Step) => (name?.kind === 'person' ? 'email' : 'name');

/**
 * Reads the structure of a file. Throws if it is not that of a seed file; unknown fields are problems
 * that do not hide others.
 */
function readFile(source: Source): { file: SeedFile; problems: Problem[] } {
  const read = (value: unknown) => SeedFile.safeParse(value, { error: shapeError });
  const value = structuredClone(source.value ?? {});
  const first = read(value);
  if (first.success) return { file: first.data, problems: [] };
  const problems = first.error.issues.flatMap(problemsOf);
  for (const { path, keys = [] } of first.error.issues as readonly Issue[])
    for (const key of keys) delete objectAt(value, path)[key];
  const second = read(value);
  if (second.success) return { file: second.data, problems };
  throw refusedBy(source, problems);
}

const objectAt = (value: unknown, path: readonly PropertyKey[]): Record<string, unknown> =>
  path.reduce<unknown>(
    (outer, key) => (outer as Record<PropertyKey, unknown>)[key],
    value,
  ) as Record<string, unknown>;

interface Issue {
  code: string;
  path: readonly PropertyKey[];
  message: string;
  keys?: readonly string[];
}

/** Returns an unknown field as a problem of its own, at the field. */
function problemsOf({ code, path, message, keys = [] }: Issue): Problem[] {
  const at = path as Path;
  if (code !== 'unrecognized_keys') return [{ at, message }];
  return keys.map((key) => ({ at: [...at, key], message: 'is not a known field' }));
}

/** Returns what the route would refuse in a body, and the fields that it does not know. */
function bodyProblems(
  step: Step,
  body: Body,
  { requests: { read }, operator: { checkPerson, newPassword } }: CheckDependencies,
): Problem[] {
  try {
    if (step.name?.kind === 'person') {
      checkPerson({ ...body, password: newPassword() });
      return [];
    }
    const known = read(step.route, body);
    return unknownFields(body, known).map((path) => ({
      at: placeOf(step, path),
      message: 'is not a known field',
    }));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error.problems.map((problem) => problemAt(step, problem));
  }
}

/** Returns the paths of all fields of `sent` that a schema left out of `known`. */
function unknownFields(sent: unknown, known: unknown, path: Path = []): Path[] {
  if (typeof sent !== 'object' || sent === null) return [];
  if (typeof known !== 'object' || known === null) return [];
  return Object.entries(sent).flatMap(([key, value]) => {
    const at = [...path, Array.isArray(sent) ? Number(key) : key];
    if (value !== undefined && !(key in known)) return [at];
    return unknownFields(value, (known as Body)[key], at);
  });
}

/** Places the problem of a request in the file. */
export function problemAt(
  step: Pick<Step, 'at' | 'renamed'>,
  { message, detail }: { message: string; detail: unknown },
): Problem {
  return { at: placeOf(step, pathOf(detail)), message };
}

const placeOf = ({ at, renamed = {} }: Pick<Step, 'at' | 'renamed'>, path: Path): Path => [
  ...at,
  ...path.map((key, index) => (index === 0 ? (renamed[key] ?? key) : key)),
];

/** Returns the path of a JSON pointer in an error's detail; the whole body if it has none. */
function pathOf(detail: unknown): Path {
  const pointer =
    typeof detail === 'object' && detail !== null && 'pointer' in detail ? detail.pointer : '';
  return String(pointer)
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}

/** Leaves out what several steps report, such as the name of the organization that each is in. */
const distinct = (problems: readonly Problem[]): Problem[] => [
  ...new Map(
    problems.map((problem) => [`${toJsonPointer(problem.at)} ${problem.message}`, problem]),
  ).values(),
];
