import type { Config } from '../config/config.ts';
import type { Log } from './log.ts';
import { noTracing } from './tracing.ts';
import type { Tracing } from './tracing.ts';

/** Creates tracing; the SDK is loaded only if an endpoint is configured. */
export async function createTracing(config: Config, log: Log): Promise<Tracing> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined) return noTracing;
  const { createOpenTelemetry } = await import('./open-telemetry.ts');
  return createOpenTelemetry({ ...config, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, log);
}
