import { violatedConstraint } from './database.ts';

/** Awaits a statement; returns `otherwise` if it violates one of these constraints. */
export async function unlessViolated<Result, Otherwise>(
  statement: Promise<Result>,
  constraints: readonly string[],
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  try {
    return await statement;
  } catch (error) {
    if (constraints.includes(violatedConstraint(error) ?? '')) return otherwise;
    throw error;
  }
}
