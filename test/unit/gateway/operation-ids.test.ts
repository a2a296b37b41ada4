import { expect, test } from 'vitest';
import { requireOperationIds } from '../../../src/gateway/rest/operation-ids.ts';

const route = (operation_id: string | undefined) => ({
  path: '/api/keys',
  operation_id: operation_id as string,
});

test.each([undefined, '', 'keys', 'CreateKey', 'create_key', 'create-key', 'createAPIKey'])(
  'a gateway with a route whose operation id is %j cannot start',
  (operation_id) => {
    expect(() => requireOperationIds([route(operation_id)])).toThrow(
      '/api/keys declares no operation id',
    );
  },
);

test('a gateway starts if every operation id is unique, and not with a duplicate', () => {
  expect(() => requireOperationIds([route('listKeys'), route('createKey')])).not.toThrow();
  expect(() => requireOperationIds([route('listKeys'), route('listKeys')])).toThrow(
    'the operation id of another route: listKeys',
  );
});
