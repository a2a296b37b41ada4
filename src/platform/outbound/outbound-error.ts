export type OutboundErrorCode =
  | 'url_not_allowed'
  | 'address_not_public'
  | 'invalid_request'
  | 'invalid_response'
  | 'redirect_refused'
  | 'timeout'
  | 'too_large'
  | 'unreachable';

/** Thrown if a request was not sent or its response was rejected; `message` may be shown. */
export class OutboundError extends Error {
  readonly code: OutboundErrorCode;
  readonly details: Record<string, unknown>;

  constructor(
    code: OutboundErrorCode,
    message: string,
    details: Record<string, unknown> = {},
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'OutboundError';
    this.code = code;
    this.details = details;
  }
}
