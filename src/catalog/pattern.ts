import { ToolFailure } from './tool-failure.ts';

export interface PatternOptions {
  ignore_case?: boolean | undefined;
  multiline?: boolean | undefined;
  dot_all?: boolean | undefined;
}

/** Compiles an RE2 expression, which runs in linear time; throws `invalid_pattern`. */
export async function compilePattern(pattern: string, options: PatternOptions) {
  const { RE2JS } = await import('re2js');
  const flags =
    (options.ignore_case ? RE2JS.CASE_INSENSITIVE : 0) |
    (options.multiline ? RE2JS.MULTILINE : 0) |
    (options.dot_all ? RE2JS.DOTALL : 0);
  try {
    return RE2JS.compile(pattern, flags);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new ToolFailure('invalid_pattern', `Invalid RE2 expression: ${why}`);
  }
}
