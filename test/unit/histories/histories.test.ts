import { describe, expect, test } from 'vitest';
import { explainHistory } from '../../support/histories/switches.ts';
import type { SwitchAct, SwitchOperation, Switches } from '../../support/histories/switches.ts';

/** Creates an operation from its interval, act and outcome. */
const operation = (
  [from, to]: readonly [number, number],
  act: Omit<SwitchAct, 'what'>,
  result: boolean | null = true,
): SwitchOperation => ({ act: { what: JSON.stringify(act), ...act }, result, from, to });

type History = readonly SwitchOperation[];
const isAllowed = (initial: Switches, history: History, partitions?: string[][]) =>
  explainHistory(initial, history, partitions) === null;

describe('a key, its policy and its revocation (H1)', () => {
  const initial = { key: true, tool: true };
  const use = { requires: { key: true, tool: true } };
  const revoke = { requires: { key: true }, sets: { key: false } };
  const exclude = { sets: { tool: false } };
  const admit = { sets: { tool: true } };

  test.each<[string, History]>([
    [
      'a use before the revocation, and a refusal after it',
      [operation([0, 1], use), operation([2, 3], revoke), operation([4, 5], use, false)],
    ],
    ['a use during the revocation', [operation([0, 9], revoke), operation([1, 2], use)]],
    [
      'a use and a refusal during the revocation',
      [operation([0, 9], revoke), operation([1, 4], use), operation([3, 5], use, false)],
    ],
    [
      'two concurrent revocations of which one succeeds',
      [operation([0, 9], revoke), operation([1, 2], revoke, false)],
    ],
    [
      'an unanswered revocation that never took effect',
      [operation([0, 1], revoke, null), operation([5, 6], use)],
    ],
    [
      'an unanswered revocation that took effect late',
      [operation([0, 1], revoke, null), operation([2, 3], use), operation([4, 5], use, false)],
    ],
    [
      'an unanswered exclusion that took effect after a later change',
      [
        operation([0, 1], exclude),
        operation([2, 3], exclude, null),
        operation([4, 5], admit),
        operation([6, 7], use, false),
      ],
    ],
  ])('%s is allowed', (_, history) => {
    expect(isAllowed(initial, history)).toBe(true);
  });

  test.each<[string, History]>([
    ['a use after the revocation', [operation([0, 1], revoke), operation([2, 3], use)]],
    [
      'a use after a refusal during the revocation',
      [operation([0, 9], revoke), operation([1, 2], use, false), operation([3, 4], use)],
    ],
    ['a refusal of a key that was never revoked', [operation([0, 1], use, false)]],
    ['a second revocation', [operation([0, 1], revoke), operation([2, 3], revoke)]],
    [
      'a use after a refusal that only a lost revocation explains',
      [operation([0, 1], revoke, null), operation([2, 3], use, false), operation([4, 5], use)],
    ],
    [
      'a use under a policy that excludes the tool',
      [operation([0, 1], exclude), operation([2, 3], use)],
    ],
    [
      'the effect of a change before it was sent',
      [operation([0, 1], use, false), operation([2, 3], exclude)],
    ],
  ])('%s is not allowed', (_, history) => {
    expect(isAllowed(initial, history)).toBe(false);
  });
});

describe('active names, and grants by people who may grant them (H4)', () => {
  const create = (id: string) => ({ requires: { name: false }, sets: { name: true, [id]: true } });
  const remove = (id: string) => ({ requires: { [id]: true }, sets: { name: false, [id]: false } });
  const names = { name: false, a: false, b: false };

  test('a taken name is refused until it is free again', () => {
    const history = [
      operation([0, 1], create('a')),
      operation([2, 3], create('b'), false),
      operation([4, 5], remove('a')),
      operation([6, 7], create('b')),
    ];
    expect(isAllowed(names, history)).toBe(true);
  });

  test('a name is never given twice, even if the answer to a creation was lost', () => {
    expect(isAllowed(names, [operation([0, 5], create('a')), operation([1, 4], create('b'))])).toBe(
      false,
    );
    const lost = [
      operation([0, 1], create('a'), null),
      operation([2, 3], remove('a')),
      operation([4, 5], create('b')),
    ];
    expect(isAllowed(names, lost)).toBe(true);
    expect(isAllowed(names, [...lost, operation([6, 7], remove('a'))])).toBe(false);
  });

  const initial = { grantor: true, grantee: false };
  const demote = { sets: { grantor: false } };
  const grant = { requires: { grantor: true }, sets: { grantee: true } };
  const use = { requires: { grantee: true } };

  test('a grantor demoted during the request may have granted first', () => {
    const history = [operation([0, 9], demote), operation([1, 8], grant), operation([10, 11], use)];
    expect(isAllowed(initial, history)).toBe(true);
  });

  test('a demoted grantor cannot grant, and a refused grant cannot be used', () => {
    expect(isAllowed(initial, [operation([0, 1], demote), operation([2, 3], grant)])).toBe(false);
    const refused = [
      operation([0, 9], demote),
      operation([1, 8], grant, false),
      operation([10, 11], use),
    ];
    expect(isAllowed(initial, refused)).toBe(false);
  });
});

describe('authority and what it gives access to (H5)', () => {
  const initial = { bob: true, document: false };
  const read = { requires: { bob: true, document: true } };
  const removeBob = { sets: { bob: false } };
  const add = { sets: { document: true } };

  test('a reader who is removed before the document is added never sees it, however slow the read', () => {
    const history = [operation([0, 1], removeBob), operation([2, 3], add)];
    expect(isAllowed(initial, [...history, operation([-5, 9], read, false)])).toBe(true);
    expect(isAllowed(initial, [...history, operation([-5, 9], read)])).toBe(false);
  });

  test('a reader who is removed after the document is added may have seen it', () => {
    const history = [operation([0, 1], add), operation([2, 3], removeBob), operation([0, 9], read)];
    expect(isAllowed(initial, history)).toBe(true);
  });

  test('each object is checked by itself, with the operations that concern it', () => {
    const both = { ...initial, other: false };
    const addOther = { sets: { other: true } };
    const history = [
      operation([0, 1], removeBob),
      operation([2, 3], addOther),
      operation([-5, 9], read),
    ];
    expect(isAllowed(both, history, [['bob', 'other']])).toBe(true);
    expect(
      isAllowed(both, history, [
        ['bob', 'other'],
        ['bob', 'document'],
      ]),
    ).toBe(false);
  });
});

test('a history of 1,200 overlapping operations can be decided', () => {
  const initial = { a: false, b: false };
  const history = Array.from({ length: 600 }, (_, turn) => {
    const name = turn % 2 === 0 ? 'a' : 'b';
    const isSet = turn % 4 < 2;
    return [
      operation(
        [turn * 10, turn * 10 + 35],
        { sets: { [name]: isSet } },
        turn % 50 === 0 ? null : true,
      ),
      operation([turn * 10 + 5, turn * 10 + 200], { requires: { [name]: isSet } }),
    ];
  }).flat();
  expect(isAllowed(initial, history)).toBe(true);
});
