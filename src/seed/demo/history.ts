import type { AuditEntry } from '../../audit/audit.ts';
import type { PastCall } from '../../limits/limits.ts';

export type { PastCall };
export type PastEvent = AuditEntry & { at: Date };

/** Ids of the demo that its history names. */
export interface DemoIds {
  organization: string;
  /** Ada, Ben, Cleo and Dora. */
  people: readonly string[];
  /** Release and Platform. */
  teams: readonly string[];
  keys: Readonly<Record<'release' | 'nightly' | 'editor' | 'laptop', string>>;
  tools: ReadonlyMap<string, string>;
}

const DAYS = 30;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

interface Caller {
  key: keyof DemoIds['keys'];
  kind: 'api_key' | 'org_key';
  /** The index of the person it acts for. */
  person: number | null;
  tools: readonly string[];
  /** Calls on a working day; a quarter of them on others. */
  calls: number;
  /** The hour at which the first of a day comes. */
  hour: number;
}

const CALLERS: readonly Caller[] = [
  {
    ...{ key: 'release', kind: 'org_key', person: null, calls: 24, hour: 8 },
    tools: ['semver_compare', 'web_fetch', 'json_query', 'semver_compare', 'text_diff'],
  },
  {
    ...{ key: 'nightly', kind: 'org_key', person: null, calls: 12, hour: 2 },
    tools: ['date_arithmetic', 'json_query', 'current_time'],
  },
  {
    ...{ key: 'editor', kind: 'api_key', person: 2, calls: 9, hour: 9 },
    tools: ['text_diff', 'calculator', 'json_validate'],
  },
  {
    ...{ key: 'laptop', kind: 'api_key', person: 0, calls: 5, hour: 13 },
    tools: ['calculator', 'hash', 'cron_next'],
  },
];

/** Returns the days of the history, the oldest first; none of them is today. */
const daysBefore = (now: Date) =>
  Array.from({ length: DAYS }, (_, index) => {
    const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
    return new Date(midnight - (DAYS - index) * DAY_MS);
  });

const isWeekend = (day: Date) => [0, 6].includes(day.getUTCDay());

/** Returns the calls of 30 days. Each night one is refused: the denial that the demo explains. */
export const pastCalls = (ids: DemoIds, now: Date): PastCall[] =>
  daysBefore(now).flatMap((day, index) => [
    ...CALLERS.flatMap((caller) => callsOf(caller, ids, day, index)),
    callOf(CALLERS[1]!, ids, {
      ...{ tool: 'web_fetch', at: new Date(day.getTime() + 125 * MINUTE_MS), duration_ms: 2 },
      ...{ outcome: 'refused', layer: 'policy' },
    }),
  ]);

function callsOf(caller: Caller, ids: DemoIds, day: Date, index: number): PastCall[] {
  const count = isWeekend(day) ? Math.ceil(caller.calls / 4) : caller.calls + ((index * 7) % 5);
  return Array.from({ length: count }, (_, call) => {
    const at = new Date(day.getTime() + (caller.hour * 60 + call * 17) * MINUTE_MS);
    const tool = caller.tools[(index + call) % caller.tools.length]!;
    // One call in forty fails in the tool itself.
    const fails = (index * 13 + call * 7) % 40 === 0;
    const end = fails
      ? ({ outcome: 'tool_error', layer: 'tool' } as const)
      : ({ outcome: 'ok', layer: 'ok' } as const);
    return callOf(caller, ids, { tool, at, duration_ms: 3 + ((call * 31) % 40), ...end });
  });
}

function callOf(
  { key, kind, person }: Caller,
  { organization, people, keys, tools }: DemoIds,
  { tool, ...end }: Pick<PastCall, 'at' | 'outcome' | 'layer' | 'duration_ms'> & { tool: string },
): PastCall {
  return {
    ...end,
    quota_owner: { kind: 'organization', id: organization },
    kind: 'tool_call',
    facts: {
      account_id: person === null ? null : people[person]!,
      key_id: keys[key],
      credential_kind: kind,
      item_id: tools.get(tool)!,
      item_name: tool,
      space_id: null,
      arguments: null,
    },
  };
}

/** Returns the audit entries of 30 days: sign-ins of everyone, and what Ada and Ben decided. */
export function pastEvents(ids: DemoIds, now: Date): PastEvent[] {
  const days = daysBefore(now);
  return [
    ...days.flatMap((day, index) =>
      isWeekend(day) ? [] : ids.people.flatMap((person, who) => signIns(person, who, day, index)),
    ),
    ...decisions(ids, (daysAgo) => days[DAYS - daysAgo]!),
  ].toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

const hourOf = (day: Date, hour: number) => new Date(day.getTime() + hour * 60 * MINUTE_MS);

const personOf = (id: string) => ({
  ...({ kind: 'user', id, credential_id: null, request_id: null } as const),
  address: '192.0.2.10',
});

function signIns(person: string, who: number, day: Date, index: number): PastEvent[] {
  // Dora comes once a week.
  if (who === 3 && day.getUTCDay() !== 2) return [];
  const entry = {
    ...{ actor: personOf(person), scope: { kind: 'account', id: person } as const },
    units: [{ type: 'account', id: person }],
    detail: { amr: ['pwd'] },
  };
  const mistyped = (index + who) % 9 === 0;
  return [
    ...(mistyped
      ? [{ ...entry, action: 'session.refuse', outcome: 'refused', at: hourOf(day, 7) } as const]
      : []),
    { ...entry, action: 'session.create', at: hourOf(day, 7 + who) },
  ];
}

/** Returns the decisions that led to how Acme is today. */
function decisions({ organization, people, teams, keys }: DemoIds, ago: (days: number) => Date) {
  const [ada, ben, cleo, dora] = people;
  const scope = { kind: 'organization', id: organization } as const;
  const decide = (
    action: PastEvent['action'],
    who: string,
    at: Date,
    unit: { type: string; id: string },
    detail: Readonly<Record<string, unknown>>,
  ): PastEvent => ({
    ...{ actor: personOf(who), action, scope, organization_id: organization, units: [unit] },
    ...{ at, detail },
  });
  const platform = { type: 'team', id: teams[1]! };
  return [
    decide('member.join', ben!, hourOf(ago(29), 10), { type: 'account', id: ben! }, {}),
    decide('member.join', cleo!, hourOf(ago(28), 11), { type: 'account', id: cleo! }, {}),
    decide('team.policy', ada!, hourOf(ago(21), 15), platform, {
      before: { mode: 'all' },
      after: { mode: 'blacklist' },
    }),
    decide('key.update', ben!, hourOf(ago(14), 9), { type: 'org_key', id: keys.nightly }, {}),
    decide('member.join', dora!, hourOf(ago(13), 9), { type: 'account', id: dora! }, {}),
    decide(
      'mcp_settings.update',
      ada!,
      hourOf(ago(6), 16),
      { type: 'organization', id: organization },
      {},
    ),
  ];
}
