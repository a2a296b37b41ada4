import type { ToolContext } from '../../catalog/catalog.ts';
import { ToolFailure } from '../../catalog/catalog.ts';
import type { OutboundResponse } from '../../platform/outbound/outbound.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import { buildRequest } from './http-request.ts';
import { readResponse } from './http-response.ts';
import type { HttpResult } from './http-response.ts';
import { createRedaction } from './redaction.ts';
import type { Redaction } from './redaction.ts';
import type { HttpTemplate } from './schema.ts';
import type { OpenedSecrets } from './secrets.ts';
import type { Values } from './template.ts';

const MAX_BYTES = 1_048_576;

/** The values that a call fills into the template. */
export interface HttpCall extends Pick<Values, 'arguments'> {
  secrets: OpenedSecrets;
}

/** Runs a custom tool: builds and sends the request, and returns the result. */
export async function callHttp(
  http: HttpTemplate,
  { arguments: args, secrets: { values: secrets, forms } }: HttpCall,
  context: ToolContext,
): Promise<HttpResult> {
  const redaction = createRedaction(forms, context.fairnessKey);
  const response = await send(http, { arguments: args, secrets }, { redaction, context });
  return readResponse(response, http.response, { redaction, context });
}

async function send(
  http: HttpTemplate,
  values: Values,
  { redaction, context }: { redaction: Redaction; context: ToolContext },
): Promise<OutboundResponse> {
  const { body, ...request } = buildRequest(http, values);
  try {
    return await context.outbound.fetch({
      ...request,
      ...(body === null ? {} : { body }),
      timeoutMs: http.timeout_ms,
      maxBytes: MAX_BYTES,
      signal: context.signal,
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const details = (await redaction.json(error.details)) as Record<string, unknown>;
    throw new ToolFailure(error.code, await redaction.text(error.message), details);
  }
}
