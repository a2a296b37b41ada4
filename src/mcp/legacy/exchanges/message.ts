/** A JSON-RPC message whose shape has been checked. */
export interface Message {
  id?: string | number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: unknown;
}

export interface RequestMessage extends Message {
  id: string | number;
  method: string;
}

export const isRequest = (message: Message): message is RequestMessage =>
  message.id !== undefined && message.method !== undefined;

export const isResponse = (message: Message): boolean => message.method === undefined;

export const isInitialize = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  (body as Message).method === 'initialize' &&
  isRequest(body);
