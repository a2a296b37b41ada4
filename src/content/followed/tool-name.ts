import { hash } from 'node:crypto';
import { withoutEnds } from '../../platform/text/without-ends.ts';
import { MAX_NAME } from '../../policies/item-name.ts';

/**
 * Returns the name that an upstream's tool gets here: with the prefix, in the characters that names
 * may have. A name of which nothing is left gets a hash, so that it is the same each time.
 */
export function toolNameOf(prefix: string, tool: string): string {
  const own = wordsOf(tool.normalize('NFKD').replaceAll(/\p{M}/gu, ''));
  const name = own === '' ? hash('sha256', tool, 'hex').slice(0, 8) : own;
  const whole = prefix === '' ? name : `${prefix}_${name}`;
  return whole.replaceAll(/_{2,}/g, '_').slice(0, MAX_NAME);
}

const wordsOf = (text: string) =>
  withoutEnds(text.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, '_'), '_');
