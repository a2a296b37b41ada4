import { randomUUID } from 'node:crypto';
import { accept, invited } from '../../support/people/invitations.ts';
import { signUp } from '../../support/people/people.ts';
import type { SignedUp } from '../../support/people/people.ts';
import type { Target } from '../targets.ts';
import { timeInTurns, timeRatio } from '../timings.ts';
import type { Operation, Timing } from '../timings.ts';
import { request } from './people.ts';
import type { Measured } from './people.ts';
import type { Sized } from './sized.ts';

const MEMBERS = 15;
const NOT_COUNTED = 2;

interface Result {
  timings: Timing[];
  targets: Target[];
}

/** Compares editing a role that few members have with editing one that many members have. */
export async function measureRoleEdits(sized: readonly Sized[], rounds: number): Promise<Result> {
  const edits = sized.map(({ owner, path, role_id, size }): Operation => ({
    name: `edit of a role with ${size} members`,
    run: (round) =>
      request(owner, {
        method: 'PATCH',
        path: `${path}/roles/${role_id}`,
        body: { permissions: round % 2 === 0 ? ['can_view_organization_members'] : [] },
      }),
  }));
  const timings = await timeInTurns(edits, rounds);
  return {
    timings,
    targets: [
      {
        name: `edit of a role: ${sized.at(-1)!.size} members / ${sized[0]!.size}`,
        value: timeRatio(timings.at(-1)!, timings[0]!),
        limit: 1.25,
        kind: 'at most',
      },
    ],
  };
}

/** Compares the time a person takes to join an organization with the time of creating a key. */
export async function measureJoins(on: Measured, sized: readonly Sized[]): Promise<Result> {
  const timings: Timing[] = [];
  const targets: Target[] = [];
  for (const one of sized) {
    const guests: Guest[] = [];
    while (guests.length < MEMBERS + NOT_COUNTED) guests.push(await createGuest(on, one));
    const timed = await timeInTurns(
      [
        {
          name: `new member, ${one.size} members`,
          run: async (round) => {
            const { guest, token } = guests[round]!;
            const { status, body } = await accept(guest, token);
            if (status >= 400) throw new Error(`accept: ${status} ${JSON.stringify(body)}`);
          },
        },
        {
          name: `new key, ${one.size} members`,
          run: (round) => addKey(guests[round]!.guest),
        },
      ],
      MEMBERS,
      NOT_COUNTED,
    );
    timings.push(...timed);
    targets.push({
      name: `new member / new key, ${one.size} members`,
      value: timeRatio(timed[0]!, timed[1]!),
      limit: 3,
      kind: 'at most',
    });
  }
  return { timings, targets };
}

interface Guest {
  guest: SignedUp;
  token: string;
}

/** Signs up a person who has an invitation. */
async function createGuest(on: Measured, { id, owner, role_id }: Sized): Promise<Guest> {
  const guest = await signUp(on, on, 'guest');
  const { token } = await invited(on, owner, { id, email: guest.email, role_ids: [role_id] });
  return { guest, token };
}

const addKey = (guest: SignedUp) =>
  request(guest, {
    path: '/api/keys',
    body: { name: `key ${randomUUID()}`, mcp_capabilities: ['tools'] },
  });
