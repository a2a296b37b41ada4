import { expect, test } from 'vitest';
import { isFromElsewhere } from '../../../src/gateway/http/same-site.ts';

const origins = new Set(['https://gate.example', 'https://app.gate.example']);
const OWN = 'https://app.gate.example/';
const FOREIGN = 'https://evil.example/';

test.each([
  [null, null, false],
  ['same-origin', null, false],
  ['none', null, true],
  ['same-site', null, true],
  ['same-site', OWN, false],
  ['same-site', FOREIGN, true],
  ['cross-site', null, true],
  ['cross-site', FOREIGN, true],
  // A redirect keeps the referrer of the page that began.
  ['cross-site', OWN, true],
])('with Sec-Fetch-Site %s and Referer %s, it is from elsewhere: %s', (site, referer, expected) => {
  const headers = [
    ...(site === null ? [] : ['Sec-Fetch-Site', site]),
    ...(referer === null ? [] : ['Referer', referer]),
  ];
  expect(isFromElsewhere(headers, origins)).toBe(expected);
});
