import { capabilities } from '../../../src/mcp/protocol/advertised.ts';
import type { Era } from '../../../src/mcp/protocol/call.ts';
import type { Methods } from '../../../src/mcp/protocol/dispatch.ts';
import { invalidParams } from '../../../src/mcp/protocol/errors.ts';
import { enrichPrompts } from './fixture-prompts.ts';
import { withRunningCall } from './running-call.ts';

/** Capabilities the suite expects in addition to the product's. */
export const fixtureCapabilities = { ...capabilities, logging: {}, completions: {} };

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** Adds the fixtures' own methods to the product's. */
export function withFixtures(methods: Methods, era: Era): Methods {
  const shared: Methods = {
    ...methods,
    'tools/call': withRunningCall(methods['tools/call']!),
    'prompts/get': enrichPrompts(methods['prompts/get']!),
    'completion/complete': () => ({
      result: { completion: { values: [], total: 0, hasMore: false } },
    }),
  };
  return era === '2025'
    ? { ...shared, ...legacyMethods }
    : { ...shared, ...modernMethods(methods) };
}

const legacyMethods: Methods = {
  'logging/setLevel'({ params }) {
    const { level } = (params ?? {}) as { level?: unknown };
    if (!levels.includes(String(level)))
      throw invalidParams([{ pointer: '/level', message: 'must be a log level' }]);
    return { result: {} };
  },
};

const modernMethods = (methods: Methods): Methods => ({
  async 'server/discover'(call) {
    const reply = await methods['server/discover']!(call);
    if (!('result' in reply)) return reply;
    return { result: { ...reply.result, capabilities: fixtureCapabilities } };
  },
});
