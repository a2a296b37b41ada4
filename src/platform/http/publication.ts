import { z } from 'zod';

/**
 * Fields of bodies that the API reference shows differently than the parser takes them: one that a
 * later check requires, or one that is only read to refuse it.
 */
export const publication = z.registry<{ as: 'required' | 'omitted' }>();
