import type { Config } from '../config/config.ts';
import { noEventLogs } from './event-logs.ts';
import type { EventLogs } from './event-logs.ts';
import type { Log } from './log.ts';

/** Creates the log of events; the SDK is loaded only if an endpoint is configured. */
export async function createEventLogs(config: Config, log: Log): Promise<EventLogs> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_LOGS_EXPORTER: exporter } = config;
  if (endpoint === undefined || exporter === 'none') return noEventLogs;
  const { createOpenTelemetryLogs } = await import('./open-telemetry-logs.ts');
  return createOpenTelemetryLogs({ ...config, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, log);
}
