import type { Decimal } from 'decimal.js';
import { CONSTANTS, divide, factorial, FUNCTIONS, modulo, Numeric, power } from './functions.ts';
import { invalidExpression } from './invalid-expression.ts';
import { tokenize, type Token } from './tokens.ts';

const MAX_CHARACTERS = 2000;
const MAX_DEPTH = 64;

/**
 * Returns the value of an expression, computed while parsing it: no code is generated, and only
 * the names in `FUNCTIONS` and `CONSTANTS` are known. Throws `invalid_expression`.
 */
export function evaluate(text: string): Decimal {
  if (text.length > MAX_CHARACTERS)
    throw invalidExpression(
      'limit',
      `The expression must have at most ${MAX_CHARACTERS} characters.`,
    );
  const { peek, isNext, take, close, nested } = createReader(tokenize(text));

  function sum(): Decimal {
    let value = product();
    while (isNext('+', '-'))
      value = take().text === '+' ? value.plus(product()) : value.minus(product());
    return finite(value);
  }

  function product(): Decimal {
    let value = unary();
    while (isNext('*', '/', '%')) {
      const operator = take().text;
      const right = unary();
      if (operator === '*') value = value.times(right);
      else value = operator === '/' ? divide(value, right) : modulo(value, right);
    }
    return finite(value);
  }

  function unary(): Decimal {
    if (!isNext('-', '+')) return exponentiation();
    return nested(() => (take().text === '-' ? unary().neg() : unary()));
  }

  /** Binds tighter than a preceding sign and is right-associative: -2^2 is -4, 2^3^2 is 512. */
  function exponentiation(): Decimal {
    let base = atom();
    while (isNext('!')) {
      take();
      base = factorial(base);
    }
    if (!isNext('^')) return base;
    take();
    return finite(power(base, nested(unary)));
  }

  function atom(): Decimal {
    const token = take();
    if (token.kind === 'number') return finite(new Numeric(token.text));
    if (token.kind === 'name') return isNext('(') ? call(token) : constant(token);
    if (token.kind !== 'operator' || token.text !== '(')
      throw invalidExpression('syntax', `Expected a number, found ${token.text}.`, token.position);
    const value = nested(sum);
    close();
    return value;
  }

  function call(name: Token): Decimal {
    take();
    const values = isNext(')') ? [] : [nested(sum)];
    while (isNext(',')) {
      take();
      values.push(nested(sum));
    }
    close();
    return apply(name, values);
  }

  const value = sum();
  if (peek().kind !== 'end')
    throw invalidExpression(
      'syntax',
      `Expected an operator, found ${peek().text}.`,
      peek().position,
    );
  return value;
}

function createReader(tokens: Token[]) {
  let next = 0;
  let depth = 0;
  const peek = (): Token => tokens[next] as Token;
  const take = (): Token => tokens[next++] as Token;
  const isNext = (...operators: string[]) =>
    peek().kind === 'operator' && operators.includes(peek().text);

  function close(): void {
    if (!isNext(')'))
      throw invalidExpression('syntax', `Expected ), found ${peek().text}.`, peek().position);
    take();
  }

  function nested(read: () => Decimal): Decimal {
    depth += 1;
    if (depth > MAX_DEPTH)
      throw invalidExpression(
        'limit',
        `The expression must have at most ${MAX_DEPTH} levels of nesting.`,
        peek().position,
      );
    const value = read();
    depth -= 1;
    return value;
  }

  return { peek, take, isNext, close, nested };
}

function apply({ text, position }: Token, values: Decimal[]): Decimal {
  const definition = FUNCTIONS.get(text.toLowerCase());
  if (!definition)
    throw invalidExpression('unsupported', `Unsupported function ${text}.`, position);
  if (values.length < definition.minArguments || values.length > definition.maxArguments)
    throw invalidExpression('syntax', `Wrong number of arguments for ${text}.`, position);
  return finite(definition.apply(...values));
}

function constant({ text, position }: Token): Decimal {
  const value = CONSTANTS.get(text.toLowerCase());
  if (value) return value;
  throw invalidExpression('unsupported', `Unknown name ${text}.`, position);
}

function finite(value: Decimal): Decimal {
  if (value.isNaN()) throw invalidExpression('undefined', 'The result is undefined.');
  if (!Number.isFinite(value.toNumber()))
    throw invalidExpression('limit', 'The result is too large (above 1.8e308).');
  return value;
}
