import { headerValues } from '../../platform/http/body.ts';

// Also without its end, so that nothing is scanned again from each of many quotation marks.
const QUOTED = /"(?:[^"\\]|\\.?)*"?/g;

/**
 * Returns whether a request prefers to be answered before its work is done (RFC 7240). Unknown and
 * malformed preferences are ignored, as the RFC requires.
 */
export const prefersAsync = (rawHeaders: readonly string[]): boolean =>
  headerValues(rawHeaders, 'prefer')
    .flatMap((value) => value.replaceAll(QUOTED, '""').split(','))
    .some((preference) => preference.split(';')[0]!.trim().toLowerCase() === 'respond-async');
