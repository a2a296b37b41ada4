import { z } from 'zod';
import { documentText } from '../documents.ts';
import { ToolFailure } from '../tool-failure.ts';
import { defineTool, PURE } from '../tool.ts';

type Codec = Record<'encode' | 'decode', (text: string) => string | Promise<string>>;

const CODECS: Record<string, Codec> = {
  base64: byteCodec('base64', /^[A-Za-z0-9+/]*={0,2}$/),
  base64url: byteCodec('base64url', /^[A-Za-z0-9_-]*={0,2}$/),
  hex: byteCodec('hex', /^(?:[0-9a-fA-F]{2})*$/),
  url: { encode: (text) => encodeURIComponent(text), decode: (text) => decodeURIComponent(text) },
  html: {
    encode: async (text) => (await import('entities')).escapeUTF8(text),
    decode: async (text) => (await import('entities')).decodeHTML(text),
  },
};

export const encodeDecode = defineTool({
  id: 'edf616d9-d356-4083-af79-a4093e48b354',
  name: 'encode_decode',
  title: 'Encode or decode text',
  description:
    'Encodes text as, or decodes it from, base64, base64url, hex, url (percent-encoding of one ' +
    'component) or html (character references). Text is UTF-8; fails with invalid_encoding if ' +
    'the input is not in that encoding or the decoded bytes are not text. Example: ' +
    '{"operation": "decode", "encoding": "base64", "text": "aGVsbG8="}.',
  input: z.strictObject({
    operation: z.enum(['encode', 'decode']),
    encoding: z.enum(['base64', 'base64url', 'hex', 'url', 'html']),
    text: documentText('At most 200,000 characters.'),
  }),
  output: z.object({ text: z.string() }),
  annotations: PURE,
  timeout_ms: 1000,
  examples: [
    {
      title: 'From base64',
      arguments: { operation: 'decode', encoding: 'base64', text: 'aMOpbGxv' },
      result: { text: 'héllo' },
    },
    {
      title: 'For a query parameter',
      arguments: { operation: 'encode', encoding: 'url', text: 'a b&c' },
      result: { text: 'a%20b%26c' },
    },
    {
      title: 'HTML character references',
      arguments: { operation: 'decode', encoding: 'html', text: '&lt;b&gt; &eacute; &#8364;' },
      result: { text: '<b> é €' },
    },
    {
      title: 'Bytes that are not text',
      arguments: { operation: 'decode', encoding: 'hex', text: 'ff' },
      error: 'invalid_encoding',
    },
  ],
  async run({ operation, encoding, text }) {
    try {
      return { text: (await CODECS[encoding]?.[operation](text)) ?? '' };
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof URIError)) throw error;
      throw new ToolFailure(
        'invalid_encoding',
        operation === 'decode'
          ? `\`text\` is not valid ${encoding}, or its decoded bytes are not UTF-8 text.`
          : '`text` contains half of a surrogate pair, which cannot be encoded.',
      );
    }
  },
});

function byteCodec(encoding: 'base64' | 'base64url' | 'hex', allowed: RegExp): Codec {
  return {
    encode: (text) => Buffer.from(text, 'utf8').toString(encoding),
    decode: (text) => {
      const packed = text.replaceAll(/\s+/g, '');
      if (!allowed.test(packed)) throw new TypeError(`not ${encoding}`);
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        Buffer.from(packed, encoding),
      );
    },
  };
}
