import { z } from 'zod';

/** One event of a stream; `data` is sent as JSON. */
export interface ServerEvent {
  event: string;
  data: object;
}

/** The response of a route that streams events; OpenAPI 3.1 describes such a stream as text. */
export const EventStream = z.string().meta({
  id: 'EventStream',
  description: 'Server-sent events with JSON in `data`. The last is `end`, of errors too.',
});
