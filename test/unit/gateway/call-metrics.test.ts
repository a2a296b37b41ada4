import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createCallMetrics } from '../../../src/gateway/operations/call-metrics.ts';

const calculator = { id: 'c', name: 'calculator', origin: 'builtin' };
const call = { kind: 'tool_call', seconds: 0.02 } as const;

test('calls are counted by tool and outcome, refusals by layer', async () => {
  const registry = new Registry();
  const observe = createCallMetrics(registry);
  for (const outcome of ['ok', 'ok', 'timed_out'] as const)
    observe({ ...call, item: calculator, outcome, layer: 'ok' });
  observe({ ...call, item: calculator, outcome: 'refused', layer: 'policy' });
  observe({ ...call, item: null, outcome: 'refused', layer: 'absent' });

  const text = await registry.metrics();

  const count = 'toolgate_call_seconds_count{tool="calculator",kind="tool_call"';
  expect(text).toContain(`${count},outcome="ok"} 2`);
  expect(text).toContain(`${count},outcome="timed_out"} 1`);
  expect(text).toContain('toolgate_calls_refused_total{kind="tool_call",layer="policy"} 1');
  expect(text).toContain('toolgate_calls_refused_total{kind="tool_call",layer="absent"} 1');
});

test('custom tools share one series, and their names are not exposed', async () => {
  const registry = new Registry();
  const observe = createCallMetrics(registry);
  for (let tool = 0; tool < 1_000; tool += 1) {
    const item = { id: `${tool}`, name: `of-somebody-${tool}`, origin: tool % 2 ? 'own' : 'http' };
    observe({ ...call, item, outcome: 'ok', layer: 'ok' });
    observe({ ...call, item, outcome: 'refused', layer: 'selection' });
  }

  const text = await registry.metrics();

  expect(text).toContain(
    'toolgate_call_seconds_count{tool="custom",kind="tool_call",outcome="ok"} 1000',
  );
  expect(text).not.toContain('of-somebody');
  expect(text.split('\n').length).toBeLessThan(40);
});
