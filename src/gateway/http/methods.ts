/**
 * Returns which methods a path allows, and which of those that Fastify supports it must refuse with
 * 405. Fastify answers HEAD wherever GET is declared.
 */
export function methodsOf(
  declared: readonly string[],
  supported: readonly string[],
): { allowed: string[]; refused: string[] } {
  const allowed = declared.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method));
  return { allowed, refused: supported.filter((method) => !allowed.includes(method)) };
}
