import { SocketAddress } from 'node:net';
import { expect, test } from 'vitest';
import { isTimeZone, isWithinHours } from '../../../src/caller/restrictions/hours.ts';
import { restrictionAgainst } from '../../../src/caller/restrictions/restrictions.ts';
import { refusedUse, refusedUseOf } from '../../../src/caller/restrictions/refused-use.ts';
import { AllowedAddresses, Hours as HoursSchema } from '../../../src/caller/restrictions/schema.ts';
import { invalidCredential } from '../../../src/platform/errors/refusal.ts';
import { canonicalNetwork } from '../../../src/platform/http/canonical-network.ts';

test.each([
  ['192.0.2.7', '192.0.2.7/32'],
  ['192.0.2.7/24', '192.0.2.0/24'],
  ['10.255.255.255/9', '10.128.0.0/9'],
  ['203.0.113.129/25', '203.0.113.128/25'],
  ['255.255.255.255/0', '0.0.0.0/0'],
  ['2001:DB8:0:0::1', '2001:db8::1/128'],
  ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
  ['::/0', '::/0'],
  ['::ffff:192.0.2.7', '192.0.2.7/32'],
  ['::ffff:c000:207/120', '192.0.2.0/24'],
  ['::ffff:0:0/96', '0.0.0.0/0'],
  ['::ffff:192.0.2.7/64', '::/64'],
])('the range %s is stored as %s', (sent, stored) => {
  expect(canonicalNetwork(sent)).toBe(stored);
  expect(canonicalNetwork(stored)).toBe(stored);
});

test.each([
  ...['', '/', 'localhost', '192.0.2', '192.0.2.256', '192.0.2.0/33', '192.0.2.0/', '/24'],
  ...['192.0.2.0/024', '192.0.2.0/-1', '192.0.2.0/2 4', '192.0.2.0/24/8', ' 192.0.2.0/24'],
  ...['192.0.2.0-192.0.2.9', '::1/129', 'fe80::1%eth0', '[::1]', '192.0.2.7:80', '0x7f.1'],
  ...['::ffff:192.0.2.7/129', '1:2:3:4:5:6:7:8:9', '192.0.2.0/1e1'],
])('%j is not a range of addresses', (text) => {
  expect(canonicalNetwork(text)).toBeNull();
});

test('IPv6 addresses are written as the platform writes them', () => {
  const random = (max: number) => Math.floor(Math.random() * max);
  for (let round = 0; round < 5_000; round += 1) {
    const groups = Array.from({ length: 8 }, () => (random(2) === 0 ? 0 : random(0x1_0000)));
    // The platform writes these with dots.
    if (groups.slice(0, 5).every((group) => group === 0)) groups[0] = 0x2001;
    const address = groups.map((group) => group.toString(16)).join(':');
    const written = new SocketAddress({ address, family: 'ipv6' }).address;
    if (canonicalNetwork(address) !== `${written}/128`)
      throw new Error(`${address}: ${canonicalNetwork(address)} instead of ${written}`);
  }
});

test('ranges are stored without duplicates, and there are 1 to 50 of them', () => {
  const parsed = AllowedAddresses.parse(['192.0.2.1/24', '192.0.2.9/24', '::1']);
  expect(parsed).toEqual(['192.0.2.0/24', '::1/128']);
  const many = (count: number) => Array.from({ length: count }, (_, index) => `10.0.${index}.0/24`);
  expect(AllowedAddresses.safeParse([]).success).toBe(false);
  expect(AllowedAddresses.safeParse(many(50)).success).toBe(true);
  expect(AllowedAddresses.safeParse(many(51)).success).toBe(false);
  expect(AllowedAddresses.parse(null)).toBeNull();
});

const OFFICE = ['192.0.2.0/24', '198.51.100.7/32', '2001:db8::/32'];
const at = (address: string, allowed_addresses: string[] | null = OFFICE) =>
  restrictionAgainst(
    { allowed_addresses, hours: null },
    { address: () => address, now: new Date() },
  );

test.each([...['192.0.2.0', '192.0.2.255', '198.51.100.7', '2001:db8::', '2001:db8:ffff::1']])(
  '%s is in the ranges',
  (address) => {
    expect(at(address)).toBeNull();
  },
);

test.each([
  ...['192.0.1.255', '192.0.3.0', '198.51.100.6', '2001:db7::1', '2001:db9::', '::1', '127.0.0.1'],
])('%s is in none of the ranges', (address) => {
  expect(at(address)).toBe('address_not_allowed');
});

test('a range of all IPv4 addresses has no IPv6 address, and never an unknown one', () => {
  expect(at('203.0.113.9', ['0.0.0.0/0'])).toBeNull();
  expect(at('2001:db8::1', ['0.0.0.0/0'])).toBe('address_not_allowed');
  expect(at('203.0.113.9', ['::/0'])).toBe('address_not_allowed');
  // What a request of a closed connection has.
  expect(at('0.0.0.0', ['0.0.0.0/0'])).toBe('address_not_allowed');
});

test('without ranges, the address is not even read', () => {
  const address = () => {
    throw new Error('read');
  };
  const hours = null;
  expect(restrictionAgainst(null, { address, now: new Date() })).toBeNull();
  expect(
    restrictionAgainst({ allowed_addresses: null, hours }, { address, now: new Date() }),
  ).toBeNull();
});

const hoursIn = (zone: string, ...windows: [days: string, from: string, to: string][]) =>
  HoursSchema.parse({
    zone,
    windows: windows.map(([days, from, to]) => ({ days: days.split(' '), from, to })),
  })!;

const WORK = hoursIn('Europe/Madrid', ['mon tue wed thu fri', '09:00', '17:00']);
const NIGHT = hoursIn('UTC', ['fri', '22:00', '06:00']);
const WHOLE = hoursIn('UTC', ['sat', '00:00', '00:00']);
const SPLIT = hoursIn('UTC', ['mon', '08:00', '12:00'], ['mon tue', '13:00', '17:00']);
// Clocks in Madrid skip 02:00 to 03:00 on 29 March 2026, and repeat it on 25 October.
const SKIPPED = hoursIn('Europe/Madrid', ['sun', '02:15', '02:45']);
const AROUND = hoursIn('Europe/Madrid', ['sun', '01:30', '03:30']);
// Half an hour from whole ones, and a day ahead.
const KOLKATA = hoursIn('Asia/Kolkata', ['tue', '00:00', '09:00']);
const AUCKLAND = hoursIn('Pacific/Auckland', ['mon', '09:00', '17:00']);

test.each([
  ['work begins at nine in summer', WORK, '2026-07-01T07:00:00Z', true],
  ['one second before', WORK, '2026-07-01T06:59:59.999Z', false],
  ['the end is not included', WORK, '2026-07-01T15:00:00Z', false],
  ['the last moment', WORK, '2026-07-01T14:59:59.999Z', true],
  ['nine in winter is an hour later', WORK, '2026-01-07T07:30:00Z', false],
  ['nine in winter', WORK, '2026-01-07T08:00:00Z', true],
  ['a Saturday', WORK, '2026-07-04T10:00:00Z', false],
  ['before a window over midnight', NIGHT, '2026-07-03T21:59:00Z', false],
  ['a window over midnight begins', NIGHT, '2026-07-03T22:00:00Z', true],
  ['it goes on after midnight', NIGHT, '2026-07-04T05:59:00Z', true],
  ['it ends on the next day', NIGHT, '2026-07-04T06:00:00Z', false],
  ['its morning alone is no window of the day', NIGHT, '2026-07-03T05:00:00Z', false],
  ['the next evening is none', NIGHT, '2026-07-04T22:30:00Z', false],
  ['a whole day begins', WHOLE, '2026-07-04T00:00:00Z', true],
  ['a whole day ends', WHOLE, '2026-07-05T00:00:00Z', false],
  ['a whole day in its last minute', WHOLE, '2026-07-04T23:59:00Z', true],
  ['the day before a whole day', WHOLE, '2026-07-03T23:59:00Z', false],
  ['first of two windows', SPLIT, '2026-06-29T11:00:00Z', true],
  ['between two windows', SPLIT, '2026-06-29T12:30:00Z', false],
  ['second of two windows', SPLIT, '2026-06-30T13:00:00Z', true],
  ['not the first on the other day', SPLIT, '2026-06-30T09:00:00Z', false],
  ['times that are skipped never come', SKIPPED, '2026-03-29T01:30:00Z', false],
  ['nor just before', SKIPPED, '2026-03-29T00:59:00Z', false],
  ['times that are repeated come', SKIPPED, '2026-10-25T00:30:00Z', true],
  ['and come again', SKIPPED, '2026-10-25T01:30:00Z', true],
  ['but not between', SKIPPED, '2026-10-25T00:50:00Z', false],
  ['a window is shorter when clocks go forward', AROUND, '2026-03-29T01:29:00Z', true],
  ['it ends an hour early', AROUND, '2026-03-29T01:30:00Z', false],
  ['a window is longer when clocks go back', AROUND, '2026-10-25T02:29:00Z', true],
  ['and ends then', AROUND, '2026-10-25T02:30:00Z', false],
  ['midnight in Kolkata', KOLKATA, '2026-06-29T18:30:00Z', true],
  ['before midnight in Kolkata', KOLKATA, '2026-06-29T18:29:00Z', false],
  ['Monday in Auckland is still Sunday in UTC', AUCKLAND, '2026-06-28T21:00:00Z', true],
  ['Monday in UTC is Tuesday there', AUCKLAND, '2026-06-29T21:00:00Z', false],
])('%s', (_title, hours, time, expected) => {
  expect(isWithinHours(hours, new Date(time))).toBe(expected);
  expect(
    restrictionAgainst(
      { allowed_addresses: null, hours },
      { address: () => '192.0.2.1', now: new Date(time) },
    ),
  ).toBe(expected ? null : 'outside_hours');
});

test('in every minute of two weeks around a change of clocks, hours agree with the clock of the zone', () => {
  const clock = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: 'Europe/Madrid', weekday: 'short', hour: '2-digit', minute: '2-digit' },
  });
  for (
    let moment = Date.parse('2026-10-18T00:00Z');
    moment < Date.parse('2026-11-01T00:00Z');
    moment += 60_000
  ) {
    const [day = '', time = ''] = clock.format(moment).split(/,? /);
    const isWork = !['Sat', 'Sun'].includes(day) && time >= '09:00' && time < '17:00';
    if (isWithinHours(WORK, new Date(moment)) !== isWork)
      throw new Error(`${new Date(moment).toISOString()}: ${day} ${time}`);
  }
});

test.each(['UTC', 'Europe/Madrid', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'Europe/Kyiv'])(
  '%s is a time zone',
  (zone) => {
    expect(isTimeZone(zone)).toBe(true);
  },
);

test.each(['', '+02:00', '-05', 'Mars/Olympus', 'Europe/Madrid ', '../etc', 'CEST/'])(
  '%j is not a time zone',
  (zone) => {
    expect(isTimeZone(zone)).toBe(false);
  },
);

const window = { days: ['mon'], from: '09:00', to: '17:00' };
test.each([
  ['no window', { zone: 'UTC', windows: [] }],
  ['too many windows', { zone: 'UTC', windows: Array.from({ length: 22 }, () => window) }],
  ['no day', { zone: 'UTC', windows: [{ ...window, days: [] }] }],
  ['an unknown day', { zone: 'UTC', windows: [{ ...window, days: ['monday'] }] }],
  ['an hour that does not exist', { zone: 'UTC', windows: [{ ...window, to: '24:00' }] }],
  ['a time without a leading zero', { zone: 'UTC', windows: [{ ...window, from: '9:00' }] }],
  ['a time with seconds', { zone: 'UTC', windows: [{ ...window, from: '09:00:00' }] }],
  ['an unknown zone', { zone: 'Mars/Olympus', windows: [window] }],
  ['no zone', { windows: [window] }],
])('hours with %s are malformed', (_fault, hours) => {
  expect(HoursSchema.safeParse(hours).success).toBe(false);
});

test('days are stored once, from Monday on', () => {
  const days = ['sun', 'mon', 'sun', 'wed'];
  const parsed = HoursSchema.parse({ zone: 'UTC', windows: [{ ...window, days }] });
  expect(parsed!.windows[0]!.days).toEqual(['mon', 'wed', 'sun']);
});

test('the refusal of a use differs from that of an invalid credential only for the log', () => {
  const refusal = refusedUse({ caller: {} as never, reason: 'outside_hours' });
  const { reason: _a, stack: _b, ...shown } = refusal;
  const { reason: _c, stack: _d, ...invalid } = invalidCredential('unknown');
  expect(JSON.stringify(shown)).toBe(JSON.stringify(invalid));
  expect(refusal.message).toBe(invalidCredential().message);
  expect(refusedUseOf(refusal)?.reason).toBe('outside_hours');
  expect(refusedUseOf(invalidCredential())).toBeNull();
});
