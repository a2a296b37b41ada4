import { describe, expect, test } from 'vitest';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { isPublicAddress } from '../../src/platform/outbound/public-address.ts';

const REFUSED_ADDRESSES = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '168.63.129.16',
  '169.254.169.254',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:8.8.8.8',
  '::ffff:127.0.0.1',
  '::8.8.8.8',
  '64:ff9b::808:808',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:808:808::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  'localhost',
  '',
];

test.each(REFUSED_ADDRESSES)('the address "%s" is not public (B8-1)', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111'])(
  'the address %s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

describe('a request is refused before anything is sent', () => {
  test.each([
    ['http://example.com/', 'url_not_allowed'],
    ['ftp://example.com/', 'url_not_allowed'],
    ['file:///etc/passwd', 'url_not_allowed'],
    ['data:text/plain,x', 'url_not_allowed'],
    ['example.com', 'url_not_allowed'],
    ['', 'url_not_allowed'],
    ['https://user@example.com/', 'url_not_allowed'],
    ['https://:secret@example.com/', 'url_not_allowed'],
    ['https://127.0.0.1/', 'address_not_public'],
    ['https://127.0.0.1./', 'address_not_public'],
    ['https://127.1/', 'address_not_public'],
    ['https://2130706433/', 'address_not_public'],
    ['https://0x7f000001/', 'address_not_public'],
    ['https://0x7f.0.0.1/', 'address_not_public'],
    ['https://0177.0.0.1/', 'address_not_public'],
    ['https://１２７.０.０.１/', 'address_not_public'],
    ['https://0/', 'address_not_public'],
    ['https://169.254.169.254/latest/meta-data', 'address_not_public'],
    ['https://[::1]/', 'address_not_public'],
    ['https://[::ffff:10.0.0.1]/', 'address_not_public'],
    ['https://[::ffff:0a00:0001]/', 'address_not_public'],
    ['https://[64:ff9b::7f00:1]/', 'address_not_public'],
    ['https://[2002:7f00:1::]/', 'address_not_public'],
    ['https://[fd00:ec2::254]/', 'address_not_public'],
  ])('%s fails with %s (B8-1, B8-2)', async (url, code) => {
    const outbound = createOutbound({ allow: [], resolve: async () => [] });

    const answer = outbound.fetch({ url, timeoutMs: 1000, maxBytes: 10 });

    await expect(answer).rejects.toMatchObject({ name: 'OutboundError', code });
  });

  test.each([
    [['10.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['2606:4700:4700::1111', 'fe80::1']],
    [['::ffff:1.1.1.1']],
  ])(
    'a name that resolves to %j is refused: one non-public address is enough (B8-3)',
    async (addresses) => {
      const resolve = async () =>
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      const outbound = createOutbound({ allow: [], resolve });

      const answer = outbound.fetch({
        url: 'https://name.example/',
        timeoutMs: 5000,
        maxBytes: 10,
      });

      await expect(answer).rejects.toMatchObject({ code: 'address_not_public' });
    },
  );

  test('a name without addresses is unreachable', async () => {
    const outbound = createOutbound({ allow: [], resolve: async () => [] });

    const answer = outbound.fetch({ url: 'https://none.example/', timeoutMs: 5000, maxBytes: 10 });

    await expect(answer).rejects.toMatchObject({ code: 'unreachable' });
  });

  test.each([
    [{ method: 'CONNECT' }],
    [{ method: 'TRACE' }],
    [{ headers: { Host: 'internal' } }],
    [{ headers: { cookie: 'a=b' } }],
    [{ headers: { 'transfer-encoding': 'chunked' } }],
    [{ headers: { 'x-a': 'b\r\nx-c: d' } }],
    [{ headers: { 'bad name': 'b' } }],
  ])('%j is an invalid request (B8-6)', async (part) => {
    const outbound = createOutbound({ allow: ['127.0.0.1'] });

    const answer = outbound.fetch({
      url: 'http://127.0.0.1:9/',
      timeoutMs: 1000,
      maxBytes: 10,
      ...(part as { method?: string; headers?: Record<string, string> }),
    });

    await expect(answer).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
