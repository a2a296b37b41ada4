import type { HTTPMethods } from 'fastify';

const METHODS: readonly HTTPMethods[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
];

/**
 * Returns which methods a path allows, and which of all others it must refuse with 405. Fastify
 * answers HEAD wherever GET is declared.
 */
export function methodsOf(declared: readonly string[]): {
  allowed: string[];
  refused: HTTPMethods[];
} {
  const isAllowed = (method: HTTPMethods) => declared.includes(method === 'HEAD' ? 'GET' : method);
  return {
    allowed: METHODS.filter(isAllowed),
    refused: METHODS.filter((method) => !isAllowed(method)),
  };
}
