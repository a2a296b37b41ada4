import fc from 'fast-check';
import { expect, test } from 'vitest';
import { authenticatedBy } from '../../../src/caller/principal.ts';
import type { ConnectionPrincipal } from '../../../src/caller/principal.ts';
import { connectionKey, queryOf } from '../../../src/credentials/tokens/store.ts';

const text = fc.oneof(fc.string(), fc.constantFrom('-', '- - ', '"', ',', '", "', ' ', '1 a'));
const query = fc.record({
  connection_id: text,
  organization_id: fc.option(text),
  token: fc.option(fc.record({ expires: fc.integer(), scope: text })),
});

test('the key of a connection is read back as exactly the query it stands for', () => {
  fc.assert(
    fc.property(query, (one) => {
      expect(queryOf(connectionKey(one))).toEqual(one);
    }),
  );
});

test('two different tokens never have one key, whatever their fields contain', () => {
  const principal = (id: string, expires: number, scope: string) =>
    ({
      credential: { kind: 'connection', id },
      oauth: { token: { expires, scope } },
    }) as unknown as ConnectionPrincipal;

  expect(authenticatedBy(principal('a', 1, '2 b'))).not.toBe(
    authenticatedBy(principal('a 1', 2, 'b')),
  );
});
