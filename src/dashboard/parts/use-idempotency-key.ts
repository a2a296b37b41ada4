import { useRef } from 'react';

/**
 * Returns a function that returns the idempotency key of a body. A body that is sent again has the
 * same key, so that it creates nothing twice if only the answer to the first request was lost.
 */
export function useIdempotencyKey(): (body: object) => string {
  const last = useRef({ body: '', key: '' });
  return (body) => {
    const text = JSON.stringify(body);
    if (text !== last.current.body) last.current = { body: text, key: crypto.randomUUID() };
    return last.current.key;
  };
}
