import { SeverityNumber } from '@opentelemetry/api';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http';
import { LogsExporterMetricsHelper, ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import type { LogRecordExporter, ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { Config } from '../config/config.ts';
import { VERSION } from '../config/version.ts';
import type { EventLogs } from './event-logs.ts';
import type { Log } from './log.ts';

type LogsConfig = Config & { OTEL_EXPORTER_OTLP_ENDPOINT: string };

const DELIVERY_MS = 3_000;
const DELAY_MS = 1_000;
const MAX_QUEUED = 20_000;

/** Creates the log of events with the OpenTelemetry SDK over OTLP/HTTP (protobuf). */
export function createOpenTelemetryLogs(config: LogsConfig, log: Log): EventLogs {
  const provider = new LoggerProvider({
    resource: resourceFromAttributes({
      'service.name': config.OTEL_SERVICE_NAME,
      'service.version': VERSION,
    }),
    processors: [
      new BatchLogRecordProcessor({
        exporter: withLoggedFailures(log, exporterOf(config)),
        scheduledDelayMillis: DELAY_MS,
        exportTimeoutMillis: DELIVERY_MS,
        maxQueueSize: MAX_QUEUED,
      }),
    ],
  });
  const logger = provider.getLogger('toolgate', VERSION);
  return {
    isOn: true,
    emit({ name, at, severity, attributes }) {
      logger.emit({
        eventName: name,
        timestamp: new Date(at),
        severityNumber: severity === 'warn' ? SeverityNumber.WARN : SeverityNumber.INFO,
        severityText: severity.toUpperCase(),
        attributes,
      });
    },
    stop: () => provider.shutdown().catch(() => {}),
  };
}

/**
 * The same exporter as that of traces, for logs: the package of the latter is not published in this
 * version.
 */
function exporterOf(config: LogsConfig): LogRecordExporter {
  const options = {
    url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/logs`,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMillis: DELIVERY_MS,
  };
  const type = { 'Content-Type': 'application/x-protobuf' };
  return new OTLPExporterBase<ReadableLogRecord[]>(
    createOtlpHttpExportDelegate(
      convertLegacyHttpOptions(options, 'LOGS', 'v1/logs', type),
      ProtobufLogsSerializer,
      'otlp_http_log_exporter',
      LogsExporterMetricsHelper,
      undefined,
    ),
  );
}

/** Wraps an exporter to log failed exports, which have no other effect. */
function withLoggedFailures(log: Log, exporter: LogRecordExporter): LogRecordExporter {
  return {
    export: (records, done) =>
      exporter.export(records, (result) => {
        if (result.error !== undefined) log.warn({ err: result.error }, 'event export failed');
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
