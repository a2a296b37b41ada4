import { expect, test } from 'vitest';
import { prefersAsync } from '../../../src/gateway/rest/prefer.ts';
import { requireFormType, requireJsonType } from '../../../src/platform/http/body.ts';
import { heldShare } from '../../support/longest-turn.ts';

// As long as a header of a request can be.
const LENGTH = 16_000;
const repeated = (text: string) => text.repeat(LENGTH / text.length);

const type = (value: string) => async () => {
  for (const require of [requireJsonType, requireFormType])
    expect(() => require(['Content-Type', value])).toThrow(/Send the body as/);
};
const prefer = (value: string) => async () => {
  expect(prefersAsync(['Prefer', value])).toBe(false);
};

test.each<[string, () => Promise<void>]>([
  ['a media type with many spaces', type(`application/json${repeated(' ')}x`)],
  ['a media type with many parameters', type(`application/json${repeated(' ;a=b')}/`)],
  ['a media type with many suffixes', type(`application/${repeated('+json')}/`)],
  ['a form’s type with many spaces', type(`application/x-www-form-urlencoded${repeated(' ')}x`)],
  ['a preference in open quotation marks', prefer(`a="${repeated(String.raw`\"`)}`)],
  ['a preference that ends with a backslash', prefer(`${repeated(String.raw`"\"`)}\\`)],
  ['many preferences', prefer(repeated('a,'))],
])('%s does not hold the event loop (rel:B7-6)', async (_what, work) => {
  expect(await heldShare(work)).toBeLessThan(1);
});
