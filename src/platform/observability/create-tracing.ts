import type { Config } from '../config/config.ts';
import type { Log } from './log.ts';
import { noTracing } from './tracing.ts';
import type { Tracing } from './tracing.ts';

/** The SDK is loaded only where there is somewhere to send traces. */
export async function createTracing(config: Config, log: Log): Promise<Tracing> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined) return noTracing;
  const { createOpenTelemetry } = await import('./open-telemetry.ts');
  return createOpenTelemetry({ ...config, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, log);
}
