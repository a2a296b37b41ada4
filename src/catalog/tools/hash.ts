import { createHash } from 'node:crypto';
import { z } from 'zod';
import { documentText } from '../documents.ts';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

export const hash = defineTool({
  id: '7db3b907-7764-4776-85b2-0efe6c3dc6a5',
  name: 'hash',
  title: 'Hash text',
  description:
    'Hashes text, or bytes given as base64; returns hexadecimal and base64. Use it to compare ' +
    'contents or check a published checksum, not to store passwords. md5 and sha1 are ' +
    'broken: use them only for checksums of old systems. Example: {"text": "hello"}.',
  input: z.strictObject({
    text: documentText('Text to hash, at most 200,000 characters.'),
    algorithm: z
      .enum(['sha256', 'sha384', 'sha512', 'sha3-256', 'sha3-512', 'blake2b', 'sha1', 'md5'])
      .optional()
      .describe('Default sha256.'),
    encoding: z
      .enum(['utf8', 'base64'])
      .optional()
      .describe('Encoding of the bytes in `text`. Default utf8.'),
  }),
  output: z.object({ algorithm: z.string(), hex: z.string(), base64: z.string() }),
  annotations: PURE,
  timeout_ms: 1000,
  examples: [
    {
      title: 'SHA-256 of a text',
      arguments: { text: 'hello' },
      result: {
        algorithm: 'sha256',
        hex: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
        base64: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
      },
    },
    {
      title: 'MD5 of bytes',
      arguments: { text: 'aGVsbG8=', encoding: 'base64', algorithm: 'md5' },
      result: {
        algorithm: 'md5',
        hex: '5d41402abc4b2a76b9719d911017c592',
        base64: 'XUFAKrxLKna5cZ2REBfFkg==',
      },
    },
    {
      title: 'Not base64',
      arguments: { text: '%%%', encoding: 'base64' },
      error: 'invalid_encoding',
    },
  ],
  run({ text, algorithm = 'sha256', encoding = 'utf8' }) {
    if (encoding === 'base64' && !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
      throw new ToolFailure('invalid_encoding', '`text` is not base64.');
    const digest = createHash(algorithm === 'blake2b' ? 'blake2b512' : algorithm)
      .update(text, encoding)
      .digest();
    return { algorithm, hex: digest.toString('hex'), base64: digest.toString('base64') };
  },
});
