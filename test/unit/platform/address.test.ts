import { describe, expect, test } from 'vitest';
import { normalizeAddress } from '../../../src/platform/text/address.ts';

describe('an e-mail address is normalized to one form (rel:B4-5)', () => {
  test.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ["o'brien+tag@sub.example.co", "o'brien+tag@sub.example.co"],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
    ['ada@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example'],
  ])('%s becomes %s', (written, address) => {
    expect(normalizeAddress(written)).toBe(address);
  });

  test.each([
    ...['', 'ada', '@example.com', 'ada@', 'ada@@example.com', 'ada@example', 'ada@.com'],
    ...['ada@example..com', 'ada@-example.com', '.ada@example.com', 'a..b@example.com'],
    ...['ada @example.com', ' ada@example.com', 'ada@example.com ', 'ada@example.com\r\nBcc: x'],
    ...['ada\u0000@example.com', '"ada"@example.com', 'ada@[127.0.0.1]', 'ada@127.0.0.1'],
    ...['ada@0x7f.1', 'ada@ex%61mple.com', 'ada@example.com/path', 'ada@user:pw@example.com'],
    ...[
      'ada@example.com:25',
      'a,b@example.com',
      'ada@example.com,eve@example.com',
      'ädä@example.com',
    ],
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `ada@${'abcdefghi.'.repeat(25)}com`,
  ])('%j is rejected', (written) => {
    expect(normalizeAddress(written)).toBeNull();
  });
});
