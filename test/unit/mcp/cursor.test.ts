import { describe, expect, test } from 'vitest';
import { createCursors } from '../../../src/mcp/protocol/cursor.ts';
import { ProtocolFailure } from '../../../src/mcp/protocol/errors.ts';

const cursors = createCursors([Buffer.alloc(32, 1)]);
const open = (list: string, credential: string, cursor: unknown) => {
  try {
    return createCursors([Buffer.alloc(32, 1)]).open(list, credential, cursor);
  } catch (error) {
    if (error instanceof ProtocolFailure) return error.error;
    throw error;
  }
};
const refused = {
  code: -32602,
  message: 'Invalid cursor',
  data: { code: 'invalid_cursor' },
};

describe('a cursor', () => {
  test('opens for its list and credential on any instance with the key', () => {
    const cursor = cursors.seal('tools', 'key-1', '1calculator');

    expect(open('tools', 'key-1', cursor)).toBe('1calculator');
  });

  test('signed with a fallback key opens, and new ones are signed with the current key', () => {
    const key = Buffer.alloc(32, 2);
    const rotated = createCursors([key, Buffer.alloc(32, 1)]);
    const cursor = cursors.seal('tools', 'key-1', '1calculator');
    const fresh = rotated.seal('tools', 'key-1', '1calculator');

    expect(rotated.open('tools', 'key-1', cursor)).toBe('1calculator');
    expect(createCursors([key]).open('tools', 'key-1', fresh)).toBe('1calculator');
    expect(open('tools', 'key-1', fresh)).toEqual(refused);
  });

  const cursor = cursors.seal('tools', 'key-1', '1calculator');
  test.each([
    ['of another list', 'prompts', 'key-1', cursor],
    ['of another credential', 'tools', 'key-2', cursor],
    [
      'of another key',
      'tools',
      'key-1',
      createCursors([Buffer.alloc(32, 2)]).seal('tools', 'key-1', '1c'),
    ],
    ['with another position', 'tools', 'key-1', `${cursor.slice(0, -2)}AA`],
    ['with a suffix', 'tools', 'key-1', `${cursor}=`],
    ['cut short', 'tools', 'key-1', cursor.slice(0, 10)],
    ['that is empty', 'tools', 'key-1', ''],
    ['that is not a string', 'tools', 'key-1', 5],
    ['that is null', 'tools', 'key-1', null],
  ])('%s is refused (rel:B3-18)', (_name, list, credential, value) => {
    expect(open(list, credential, value)).toEqual(refused);
  });
});
