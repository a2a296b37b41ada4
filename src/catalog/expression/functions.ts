import { Decimal } from 'decimal.js';
import { invalidExpression } from './invalid-expression.ts';

/** Numbers of the calculator: 40 digits internally, in the range of a double. */
export const Numeric = Decimal.clone({ precision: 40, maxE: 308, minE: -324 });

type Operation = (...values: Decimal[]) => Decimal;
interface FunctionDefinition {
  minArguments: number;
  maxArguments: number;
  apply: Operation;
}

const MAX_ARGUMENTS = 100;
/** Above this exponent, powers are computed in doubles, where those of 2 overflow. */
const MAX_EXACT_EXPONENT = 1024;
const MAX_FACTORIAL = 170;
const withArguments = (count: number, apply: Operation) => ({
  minArguments: count,
  maxArguments: count,
  apply,
});
const variadic = (apply: Operation) => ({ minArguments: 1, maxArguments: MAX_ARGUMENTS, apply });

/**
 * Computes in doubles, because decimal.js takes unbounded time for some of these. Rounds to the
 * fifteen digits a double guarantees, so that sin(pi) is 0.
 */
const computeInDoubles = (apply: (value: number) => number) =>
  withArguments(1, (value) => fromDouble(apply(orNaN(value).toNumber())));
const orNaN = (value: Decimal | undefined) => value ?? new Numeric(NaN);

function fromDouble(value: number): Decimal {
  return new Numeric(Math.abs(value) < 1e-15 ? 0 : Number(value.toPrecision(15)));
}

export const CONSTANTS: ReadonlyMap<string, Decimal> = new Map([
  ['pi', new Numeric('3.141592653589793238462643383279502884197')],
  ['π', new Numeric('3.141592653589793238462643383279502884197')],
  ['e', new Numeric('2.718281828459045235360287471352662497757')],
  ['tau', new Numeric('6.283185307179586476925286766559005768394')],
  ['phi', new Numeric('1.618033988749894848204586834365638117720')],
]);

export const FUNCTIONS: ReadonlyMap<string, FunctionDefinition> = new Map([
  ['abs', withArguments(1, (x) => orNaN(x).abs())],
  ['ceil', withArguments(1, (x) => orNaN(x).ceil())],
  ['floor', withArguments(1, (x) => orNaN(x).floor())],
  ['trunc', withArguments(1, (x) => orNaN(x).trunc())],
  ['sign', withArguments(1, (x) => new Numeric(Decimal.sign(orNaN(x))))],
  ['sqrt', withArguments(1, (x) => orNaN(x).sqrt())],
  ['cbrt', withArguments(1, (x) => orNaN(x).cbrt())],
  ['round', { minArguments: 1, maxArguments: 2, apply: round }],
  ['factorial', withArguments(1, (x) => factorial(orNaN(x)))],
  ['pow', withArguments(2, (x, y) => power(orNaN(x), orNaN(y)))],
  ['mod', withArguments(2, (x, y) => modulo(orNaN(x), orNaN(y)))],
  ['gcd', variadic((...values) => values.reduce(gcd))],
  ['lcm', variadic((...values) => values.reduce(lcm))],
  ['min', variadic((...values) => Numeric.min(...values))],
  ['max', variadic((...values) => Numeric.max(...values))],
  ['sum', variadic((...values) => sum(values))],
  ['mean', variadic((...values) => sum(values).div(values.length))],
  ['median', variadic((...values) => median(values))],
  ['hypot', variadic((...values) => sum(values.map((value) => value.times(value))).sqrt())],
  ['log', { minArguments: 1, maxArguments: 2, apply: logarithm }],
  ['ln', computeInDoubles(Math.log)],
  ['log10', computeInDoubles(Math.log10)],
  ['log2', computeInDoubles(Math.log2)],
  ['exp', computeInDoubles(Math.exp)],
  ['sin', computeInDoubles(Math.sin)],
  ['cos', computeInDoubles(Math.cos)],
  ['tan', computeInDoubles((x) => (Math.abs(Math.cos(x)) < 1e-15 ? NaN : Math.tan(x)))],
  ['asin', computeInDoubles(Math.asin)],
  ['acos', computeInDoubles(Math.acos)],
  ['atan', computeInDoubles(Math.atan)],
  [
    'atan2',
    withArguments(2, (y, x) => fromDouble(Math.atan2(orNaN(y).toNumber(), orNaN(x).toNumber()))),
  ],
  ['sinh', computeInDoubles(Math.sinh)],
  ['cosh', computeInDoubles(Math.cosh)],
  ['tanh', computeInDoubles(Math.tanh)],
  [
    'radians',
    withArguments(1, (x) =>
      orNaN(x)
        .times(orNaN(CONSTANTS.get('pi')))
        .div(180),
    ),
  ],
  [
    'degrees',
    withArguments(1, (x) =>
      orNaN(x)
        .times(180)
        .div(orNaN(CONSTANTS.get('pi'))),
    ),
  ],
]);

// Computed once: up to 170 multiplications for every `!` in an expression would take 250 ms.
const FACTORIALS: readonly Decimal[] = listFactorials();

function listFactorials(): Decimal[] {
  const list = [new Numeric(1)];
  for (let factor = 1; factor <= MAX_FACTORIAL; factor += 1)
    list.push(orNaN(list[factor - 1]).times(factor));
  return list;
}

export function divide(left: Decimal, right: Decimal): Decimal {
  if (right.isZero()) throw invalidExpression('division_by_zero', 'Division by zero.');
  return left.div(right);
}

export function modulo(left: Decimal, right: Decimal): Decimal {
  if (right.isZero()) throw invalidExpression('division_by_zero', 'Remainder of division by zero.');
  return left.mod(right);
}

export function power(base: Decimal, exponent: Decimal): Decimal {
  if (base.isZero() && exponent.isNegative() && !exponent.isZero())
    throw invalidExpression('division_by_zero', 'Zero to a negative power is a division by zero.');
  if (exponent.isInteger() && exponent.abs().lte(MAX_EXACT_EXPONENT)) return base.pow(exponent);
  return fromDouble(base.toNumber() ** exponent.toNumber());
}

export function factorial(value: Decimal): Decimal {
  if (!value.isInteger() || value.isNegative())
    throw invalidExpression('undefined', 'A factorial requires a whole number of 0 or more.');
  if (value.gt(MAX_FACTORIAL))
    throw invalidExpression('limit', `Factorials are limited to ${MAX_FACTORIAL}!.`);
  return orNaN(FACTORIALS[value.toNumber()]);
}

function round(value?: Decimal, digits?: Decimal): Decimal {
  const places = digits ?? new Numeric(0);
  if (!places.isInteger() || places.abs().gt(30))
    throw invalidExpression(
      'undefined',
      'The digits of round must be a whole number from -30 to 30.',
    );
  const scale = new Numeric(10).pow(places);
  return orNaN(value).times(scale).round().div(scale);
}

function logarithm(value?: Decimal, base?: Decimal): Decimal {
  const logOfValue = Math.log(orNaN(value).toNumber());
  if (!base) return fromDouble(Math.log10(orNaN(value).toNumber()));
  if (base.eq(1)) throw invalidExpression('undefined', 'There is no logarithm to base 1.');
  return fromDouble(logOfValue / Math.log(base.toNumber()));
}

function gcd(left: Decimal, right: Decimal): Decimal {
  if (![left, right].every((value) => value.isInteger() && value.abs().lt(1e30)))
    throw invalidExpression('undefined', 'gcd and lcm require whole numbers below 1e30.');
  let [large, small] = [left, right].map((value) => BigInt(value.abs().toFixed())) as [
    bigint,
    bigint,
  ];
  while (small !== 0n) [large, small] = [small, large % small];
  return new Numeric(large.toString());
}

function lcm(left: Decimal, right: Decimal): Decimal {
  const divisor = gcd(left, right);
  return divisor.isZero() ? divisor : left.times(right).abs().div(divisor);
}

const sum = (values: Decimal[]) =>
  values.reduce((total, value) => total.plus(value), new Numeric(0));

function median(values: Decimal[]): Decimal {
  const sorted = values.toSorted((a, b) => a.cmp(b));
  const middle = sorted.length / 2;
  return sum(sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1)).div(
    Number.isInteger(middle) ? 2 : 1,
  );
}
