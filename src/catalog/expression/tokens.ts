import { invalidExpression } from './invalid-expression.ts';

export interface Token {
  kind: 'number' | 'name' | 'operator' | 'end';
  text: string;
  position: number;
}

const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['**', '^'],
  ['×', '*'],
  ['·', '*'],
  ['÷', '/'],
  ['−', '-'],
]);

/** Numbers, names and operators; the three alternatives start with different characters. */
const TOKEN =
  /(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-zπ]\w*)|(\*\*|[-+*/%^!(),×·÷−])/y;
const SPACE = /\s*/y;

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let position = skipSpace(text, 0);
  while (position < text.length) {
    TOKEN.lastIndex = position;
    const match = TOKEN.exec(text);
    if (!match)
      throw invalidExpression(
        'syntax',
        `Unexpected "${text.slice(position, position + 1)}".`,
        position,
      );
    const [whole, number, name] = match;
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'operator';
    tokens.push({ kind, text: SYNONYMS.get(whole) ?? whole, position });
    position = skipSpace(text, position + whole.length);
  }
  return [...tokens, { kind: 'end', text: 'the end', position: text.length }];
}

function skipSpace(text: string, position: number): number {
  SPACE.lastIndex = position;
  return position + (SPACE.exec(text)?.[0].length ?? 0);
}
