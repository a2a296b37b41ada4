import { describe, expect, test } from 'vitest';
import { startEndpoint } from './endpoint.ts';

const limited = {
  session: null,
  admitted: false,
  window: 'hour',
  limit: 1_000,
  retry_after_seconds: 33,
} as const;

describe('system tools', () => {
  const agents = { capabilities: ['agents'] } as const;
  const answerOf = async (changes: object, name: string, args: object) => {
    const { call, admissions } = await startEndpoint(changes);
    const { body } = await call(name, args);
    const result = body.result?.structuredContent;
    return { answer: result?.error?.code ?? result ?? body.error.code, admissions };
  };
  const stateOf = async (changes: object, args: object) => {
    const { answer } = await answerOf(changes, 'bootstrap', args);
    return typeof answer === 'object' ? [answer.agent, answer.catalog] : answer;
  };
  const disabled = [{ status: 'disabled' }, { status: 'disabled' }];
  const available = { status: 'available', agents: [] };
  const notRequested = { status: 'not_requested' };

  test.each([
    ['empty arguments', agents, {}, -32602],
    ['a flag that is a string', agents, { primary_agent: 'true' }, -32602],
    [
      'a primary with a selection',
      agents,
      { primary_agent: true, agent_selection: 'self' },
      -32602,
    ],
    ['a subagent without a selection', agents, { primary_agent: false }, -32602],
    ['named without a name', agents, { primary_agent: false, agent_selection: 'named' }, -32602],
    [
      'a name without named',
      agents,
      { primary_agent: false, agent_selection: 'none', agent_name: 'x' },
      -32602,
    ],
    ['an unknown argument', agents, { primary_agent: true, x: 1 }, -32602],
    ['a primary without Agents', {}, { primary_agent: true }, disabled],
    ['a subagent without Agents', {}, { primary_agent: false, agent_selection: 'self' }, disabled],
    [
      'named without Agents',
      {},
      { primary_agent: false, agent_selection: 'named', agent_name: 'x' },
      'capability_denied',
    ],
    [
      'a primary that names an agent without Agents',
      {},
      { primary_agent: true, agent_name: 'x' },
      'capability_denied',
    ],
    ['a primary', agents, { primary_agent: true }, [{ status: 'selection_available' }, available]],
    [
      'a primary that names an absent agent',
      agents,
      { primary_agent: true, agent_name: 'x' },
      -32601,
    ],
    [
      'self',
      agents,
      { primary_agent: false, agent_selection: 'self' },
      [{ status: 'selection_available' }, available],
    ],
    [
      'none',
      agents,
      { primary_agent: false, agent_selection: 'none' },
      [{ status: 'none' }, notRequested],
    ],
    [
      'none with a catalog request',
      agents,
      { primary_agent: false, agent_selection: 'none', request_agent_catalog: true },
      [{ status: 'none' }, available],
    ],
    [
      'named that is absent',
      agents,
      { primary_agent: false, agent_selection: 'named', agent_name: 'x' },
      -32601,
    ],
  ])('bootstrap with %s (B1-B5, rel:B3-13)', async (_name, changes, args, expected) => {
    expect(await stateOf(changes, args)).toEqual(expected);
  });

  test.each([
    [{}, 'capability_denied'],
    [agents, { status: 'agent_context_unavailable' }],
  ])(
    'agent_context without Agents or for an absent agent, case %# (B1, B7, rel:B3-14)',
    async (changes, expected) => {
      const { answer } = await answerOf(changes, 'agent_context', { name: 'x', components: [] });

      expect(answer).toEqual(expected);
    },
  );

  test('setup returns an instruction for every client without permissions, and never a secret (A9)', async () => {
    const clients = [
      'claude_code',
      'claude_desktop',
      'cursor',
      'vscode',
      'codex',
      'gemini_cli',
      'chatgpt',
      'other',
    ];
    for (const client of clients) {
      const { answer } = await answerOf({ capabilities: 'unavailable' }, 'setup', { client });

      expect(answer).toEqual({ client, instruction: expect.stringContaining('bootstrap') });
      expect(answer.instruction).not.toMatch(/sk_|YOUR_API_KEY/);
    }
    expect((await answerOf({}, 'setup', {})).answer.client).toBe('other');
    expect((await answerOf({}, 'setup', { client: 'emacs' })).answer).toBe(-32602);
  });

  test('need neither Tools nor a policy, and count toward the rate limits but not the monthly quota', async () => {
    const { answer, admissions } = await answerOf({ capabilities: [] }, 'bootstrap', {
      primary_agent: true,
    });

    expect(answer.context).not.toContain('dashboard');
    expect(admissions).toEqual([expect.objectContaining({ kind: 'system_call' })]);
  });

  test('are not counted when refused, and are rate limited like other tools', async () => {
    const denied = await answerOf({}, 'agent_context', { name: 'x', components: [] });
    const exceeded = await answerOf({ admission: limited }, 'bootstrap', { primary_agent: true });

    expect(denied.admissions).toEqual([]);
    expect(exceeded.answer).toBe('rate_limited');
  });
});
