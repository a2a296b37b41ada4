import { expect, test } from 'vitest';
import { createClientAddress } from '../../../src/gateway/http/client-address.ts';

const clientAddress = createClientAddress([
  '127.0.0.0/8',
  '192.0.2.0/24',
  '2001:db8:f::/48',
  '::1',
]);
const addressFor = (remote: string | undefined, ...values: string[]) =>
  clientAddress(
    remote,
    values.flatMap((value) => ['X-Forwarded-For', value]),
  );

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['2001:db8::7', '2001:db8::7'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['[2001:db8::7]:443', '2001:db8::7'],
  ['2001:DB8:0:0::7', '2001:db8::7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['[::FFFF:cb00:7107]:443', '203.0.113.7'],
  ['fe80::1%eth0', 'fe80::1'],
  [' 203.0.113.7\t', '203.0.113.7'],
  ['203.0.113.7,', '203.0.113.7'],
  ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['garbage, 203.0.113.7', '203.0.113.7'],
  ['203.0.113.7, 192.0.2.1', '203.0.113.7'],
  ['203.0.113.7, 192.0.2.1:443, 127.0.0.9:1', '203.0.113.7'],
  ['203.0.113.7:1, [2001:db8:f::1]:443', '203.0.113.7'],
  ['203.0.113.7, ::ffff:192.0.2.1', '203.0.113.7'],
  ['192.0.2.2, 192.0.2.1', '192.0.2.2'],
])(
  'a trusted proxy that sends %j forwards for %s (decisions 9: client address)',
  (header, client) => {
    expect(addressFor('127.0.0.1', header)).toBe(client);
  },
);

test.each([
  '',
  'garbage',
  'unknown',
  'x'.repeat(3_000),
  '203.0.113.7, garbage',
  '203.0.113.7, garbage, 192.0.2.1',
  '203.0.113.7:',
  '203.0.113.7:port',
  '203.0.113.7:123456',
  '203.0.113',
  '203.0.113.07',
  '203.0.113.256:80',
  '[]',
  '[2001:db8::7',
  '[2001:db8::7]443',
  '[2001:db8::7]:443:1',
  '2001:db8::7::1',
  'localhost',
  "203.0.113.7' OR 1=1",
])(
  "a forwarded value that is not an address, %j, yields the connection's address (decisions 9)",
  (header) => {
    expect(addressFor('127.0.0.1', header)).toBe('127.0.0.1');
  },
);

test('several headers are one list, in order', () => {
  expect(addressFor('127.0.0.1', '198.51.100.1', '203.0.113.7, 192.0.2.1')).toBe('203.0.113.7');
});

test.each([
  ['198.51.100.9', '198.51.100.9'],
  ['::ffff:198.51.100.9', '198.51.100.9'],
  ['fe80::9%eth0', 'fe80::9'],
  [undefined, '0.0.0.0'],
])('a header on an untrusted connection, %s, is ignored', (remote, client) => {
  expect(addressFor(remote, '203.0.113.7')).toBe(client);
});

test.each(['::ffff:127.0.0.1', '::1', '2001:db8:f::2'])(
  'a trusted proxy is recognized in any notation of its address: %s',
  (remote) => {
    expect(addressFor(remote, '203.0.113.7')).toBe('203.0.113.7');
  },
);

test('without trusted proxies every header is ignored', () => {
  const direct = createClientAddress([]);
  expect(direct('127.0.0.1', ['X-Forwarded-For', '203.0.113.7'])).toBe('127.0.0.1');
});
