import { z } from 'zod';
import { defineTool, PURE } from '../tool.ts';

const SIGNIFICANT_DIGITS = 30;

export const calculator = defineTool({
  id: '5b28a882-a0c9-49b3-9e0e-4a6f29780738',
  name: 'calculator',
  title: 'Calculator',
  description:
    'Evaluates an arithmetic expression exactly (decimal, so 0.1 + 0.2 is 0.3). Use it instead ' +
    'of computing in your head. Operators: + - * / % (remainder) ^ or ** (power) ! (factorial) ' +
    'and parentheses; multiplication must be written out. Constants: pi, e, tau, phi. Functions: ' +
    'abs, ceil, floor, trunc, sign, round(x, digits), sqrt, cbrt, pow, mod, gcd, lcm, min, max, ' +
    'sum, mean, median, hypot, factorial, exp, ln, log(x) (base 10), log(x, base), log2, log10, ' +
    'sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh (radians), radians, degrees. No ' +
    'variables, units, matrices or assignments. Fails with invalid_expression on bad syntax, ' +
    'division by zero, a result that is undefined or too large, or an unsupported function. At most ' +
    '2000 characters. Example: {"expression": "round(1250 * 1.075^10, 2)"}.',
  input: z.strictObject({
    expression: z.string().max(200_000).describe('For example, (3 + 4) * 2 / sqrt(16).'),
  }),
  output: z.object({
    result: z.number().describe('The value as a double.'),
    decimal: z.string().describe('The value with up to 30 significant digits.'),
  }),
  annotations: PURE,
  timeout_ms: 1000,
  examples: [
    {
      title: 'Arithmetic follows the usual precedence',
      arguments: { expression: '2 + 3 * 4 ^ 2' },
      result: { result: 50, decimal: '50' },
    },
    {
      title: 'Decimals are exact',
      arguments: { expression: '0.1 + 0.2' },
      result: { result: 0.3, decimal: '0.3' },
    },
    {
      title: 'Functions and constants',
      arguments: { expression: 'round(sin(pi / 6) * 100, 1) + max(1, 2, 3)' },
      result: { result: 53, decimal: '53' },
    },
    {
      title: 'Large whole numbers keep their digits',
      arguments: { expression: '2^90' },
      result: { result: 1.2379400392853803e27, decimal: '1237940039285380274899124224' },
    },
    {
      title: 'Division by zero',
      arguments: { expression: '1/0' },
      error: 'invalid_expression',
    },
  ],
  async run({ expression }) {
    const { evaluate } = await import('../expression/evaluate.ts');
    const value = evaluate(expression).toSignificantDigits(SIGNIFICANT_DIGITS);
    const result = value.isZero() ? 0 : value.toNumber();
    return { result, decimal: value.abs().gte(1e30) ? value.toString() : value.toFixed() };
  },
});
