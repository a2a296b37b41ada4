import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, RequestListener } from 'node:http';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Config } from '../config/config.ts';
import type { Log } from './log.ts';
import { asRefusal } from '../errors/outage.ts';
import type { Tracing } from './tracing.ts';
import { VERSION } from '../config/version.ts';

type TracingConfig = Config & { OTEL_EXPORTER_OTLP_ENDPOINT: string };

const DELIVERY_MS = 3_000;
// Limits the spans of one request, since an open stream runs queries every second.
const MAX_SPANS_PER_REQUEST = 64;
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

/**
 * Creates tracing with the OpenTelemetry SDK over OTLP/HTTP (protobuf); registers nothing globally.
 */
export function createOpenTelemetry(config: TracingConfig, log: Log): Tracing {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': config.OTEL_SERVICE_NAME,
      'service.version': VERSION,
    }),
    sampler: samplerOf(config),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: withLoggedFailures(log, exporterOf(config)),
        exportTimeoutMillis: DELIVERY_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('toolgate', VERSION);
  const storage = new AsyncLocalStorage<TracePosition>();
  const current = () => storage.getStore()?.span;

  return {
    wrap(name, work, describe) {
      const tracedWork = async (...args: Parameters<typeof work>) => {
        const parent = storage.getStore();
        // Background work of the gateway does not belong to a request.
        if (parent === undefined || parent.budget.left <= 0) return work(...args);
        parent.budget.left -= 1;
        const span = tracer.startSpan(name, {}, parent.context);
        const { budget } = parent;
        const traced = { span, context: trace.setSpan(parent.context, span), budget };
        try {
          const result = await storage.run(traced, () => work(...args));
          if (describe !== undefined)
            span.setAttributes(describe(result as Awaited<ReturnType<typeof work>>, ...args));
          return result;
        } catch (error) {
          fail(span, error);
          throw error;
        } finally {
          span.end();
        }
      };
      return tracedWork as typeof work;
    },
    requests: (listener) => traceRequests(tracer, storage, listener),
    route(method, pattern) {
      current()?.setAttribute('http.route', pattern).updateName(`${method} ${pattern}`);
    },
    describe: (attributes) => void current()?.setAttributes(attributes),
    stop: () => provider.shutdown().catch(() => {}),
  };
}

/** The current position in a trace and the request's remaining span budget. */
interface TracePosition {
  span: Span;
  context: Context;
  budget: { left: number };
}

const propagator = new W3CTraceContextPropagator();
const headers = {
  keys: ({ headers: all }: IncomingMessage) => Object.keys(all),
  get: ({ headers: all }: IncomingMessage, name: string) => all[name],
};

function traceRequests(
  tracer: Tracer,
  storage: AsyncLocalStorage<TracePosition>,
  listener: RequestListener,
): RequestListener {
  return (request, response) => {
    const { method = '' } = request;
    const known = METHODS.has(method) ? method : '_OTHER';
    const parent = propagator.extract(ROOT_CONTEXT, request, headers);
    const attributes = { 'http.request.method': known };
    const span = tracer.startSpan(known, { kind: SpanKind.SERVER, attributes }, parent);
    const budget = { left: MAX_SPANS_PER_REQUEST };
    response.on('close', () => {
      budget.left = 0;
      span.setAttribute('http.response.status_code', response.statusCode);
      if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    const context = trace.setSpan(parent, span);
    storage.run({ span, context, budget }, () => listener(request, response));
  };
}

/** Marks a span as failed. Records only the error's type: its message may repeat client input. */
function fail(span: Span, error: unknown): void {
  const refusal = asRefusal(error);
  span.setAttribute('error.type', refusal?.code ?? 'error');
  if (refusal === null || refusal.kind === 'unavailable')
    span.setStatus({ code: SpanStatusCode.ERROR });
}

function exporterOf(config: TracingConfig): SpanExporter {
  return new OTLPTraceExporter({
    url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMillis: DELIVERY_MS,
  });
}

/** Wraps an exporter to log failed exports, which have no other effect. */
function withLoggedFailures(log: Log, exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) log.warn({ err: result.error }, 'trace export failed');
        done(result);
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: TracingConfig) {
  const isParentBased = name.startsWith('parentbased_');
  const own = name.replace('parentbased_', '');
  const root =
    own === 'always_off'
      ? new AlwaysOffSampler()
      : own === 'always_on'
        ? new AlwaysOnSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}
