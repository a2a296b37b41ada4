import type { Load } from '../load.ts';
import { modern } from '../messages.ts';
import type { Target } from '../targets.ts';
import { measureInTurns, ratio } from '../turns.ts';
import type { Contender, Row, Turns } from '../turns.ts';
import { requestUntil } from './people.ts';
import type { Measured } from './people.ts';
import { createAdmittedTools, createOwnTools } from './ten-teams.ts';

const KINDS = ['following', 'bound', 'owned'] as const;
const LISTS = ['own tools', 'admitted tools'] as const;
// Calls differ by less than a tenth, and background load makes single rounds differ by more.
const CALL_ROUNDS = 3;

/** Compares warm calls and lists in an organization of ten teams with personal ones. */
export async function measureWarm(
  on: Measured,
  turns: Turns,
): Promise<{ rows: Row[]; targets: Target[] }> {
  const { lists, calls } = await createOwnTools(on);
  const contenderOf = (
    name: string,
    method: 'tools/call' | 'tools/list',
    keys: readonly string[],
    expecting: string,
  ): Contender<Load> => ({
    ...{ name, peer: on.gateway, expecting },
    load: { port: on.port, requests: keys.map((key) => modern(method, key)) },
  });
  const list = (name: string, key: string, expecting: string) =>
    contenderOf(name, 'tools/list', [key], expecting);
  const admitted = await createAdmittedTools(on);
  const called = (['personal', ...KINDS, 'token', 'followingToken'] as const).map((kind) =>
    contenderOf(`call ${kind}`, 'tools/call', calls[kind], '"ok":true'),
  );
  const listed = [
    list('own tools, personal', lists.personal, 'own_0150'),
    list('own tools, teams', lists.organization, 'own_0150'),
    list('admitted tools, personal', admitted.personal, 'noop_0150'),
    list('admitted tools, teams', admitted.organization, 'noop_0150'),
  ];
  for (const contender of [...called, ...listed]) await requestEach(on, contender);
  const rows = [
    ...(await measureInTurns(called, { ...turns, rounds: CALL_ROUNDS * turns.rounds })),
    ...(await measureInTurns(listed, turns)),
  ];
  const cpuTarget = (name: string, [one, other]: [string, string], limit: number): Target => ({
    name: `${name}: CPU`,
    value: ratio(rowOf(rows, one), rowOf(rows, other), 'cpuMicros'),
    limit,
    kind: 'at most',
  });
  return {
    rows,
    targets: [
      ...KINDS.map((kind) =>
        cpuTarget(
          `call, key in an organization, ${kind} / personal`,
          [`call ${kind}`, 'call personal'],
          1.1,
        ),
      ),
      cpuTarget('call, access token / key', ['call token', 'call personal'], 1.15),
      cpuTarget(
        'call, access token / key that follow teams',
        ['call followingToken', 'call following'],
        1.15,
      ),
      ...LISTS.map((kind) =>
        cpuTarget(
          `list of 200 ${kind}, ten teams / personal`,
          [`${kind}, teams`, `${kind}, personal`],
          1.3,
        ),
      ),
    ],
  };
}

/**
 * Sends each request once, so that no cold decision times out under the load of all connections.
 */
async function requestEach(on: Measured, { load, expecting }: Contender<Load>): Promise<void> {
  for (const request of load.requests) await requestUntil(on, request, expecting);
}

function rowOf(rows: readonly Row[], name: string): Row {
  const found = rows.find((row) => row.name === name);
  if (found === undefined) throw new Error(`no row ${name}`);
  return found;
}
