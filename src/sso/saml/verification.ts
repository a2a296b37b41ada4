import type { WorkerPool } from '../../catalog/catalog.ts';
import { ToolFailure } from '../../catalog/catalog.ts';
import { unavailable } from '../../platform/errors/refusal.ts';
import type { VerificationInput, VerificationOutput } from './computations.ts';
import { decodeResponse } from './envelope.ts';
import { SamlRefused } from './refused.ts';
import { verifyResponse } from './verify-response.ts';
import type { PostedResponse, SamlConnection, SamlIdentity } from './verify-response.ts';
import { nodesIn } from './xml.ts';

export interface VerificationDependencies {
  samlWorkers: Pick<WorkerPool, 'compute'>;
}

// An ordinary response has about a hundred nodes and 6 kB, which is verified for two certificates.
const LIGHT_CHARACTERS = 16_384;
const LIGHT_NODES = 200;
// Less than the 10 s of the request: what waited for a process can still be answered.
const TOTAL_MS = 8_000;

/**
 * Creates the function that verifies responses. The time that takes grows with the square of their
 * nodes, for each certificate of the connection: longer responses are verified in a process that
 * can be killed.
 */
export function createVerification({ samlWorkers }: VerificationDependencies) {
  async function verifyElsewhere(input: VerificationInput, organization_id: string) {
    const task = { tool: 'verify_saml_response', input, now: input.posted.now };
    const signal = AbortSignal.timeout(TOTAL_MS);
    const entry = {
      ...{ signal, fairnessKey: organization_id },
      requirePermitted: async () => {},
    };
    try {
      return (await samlWorkers.compute(task, entry)) as VerificationOutput;
    } catch (error) {
      if (error === signal.reason) throw unavailable('no SAML process was free in time', error);
      if (!(error instanceof ToolFailure)) throw error;
      if (error.code === 'busy') throw unavailable('all SAML processes are busy', error);
      throw error.code === 'too_complex' ? new SamlRefused('malformed', error) : error;
    }
  }

  /** Verifies a response as `verifyResponse` does; throws `SamlRefused`. */
  return async function verify(
    { organization_id, ...connection }: SamlConnection & { organization_id: string },
    posted: PostedResponse,
  ): Promise<SamlIdentity> {
    if (isLight(connection, posted)) return verifyResponse(connection, posted);
    const { configuration, attributes, service_provider } = connection;
    // Only what it reads: a connection also has its secrets.
    const read = { configuration, attributes, service_provider };
    const output = await verifyElsewhere({ connection: read, posted }, organization_id);
    if ('refused' in output) throw new SamlRefused(output.refused);
    return { ...output.identity, expires_at: new Date(output.identity.expires_at) };
  };
}

function isLight({ configuration }: SamlConnection, { response }: PostedResponse): boolean {
  const xml = decodeResponse(response);
  if (xml.length > LIGHT_CHARACTERS) return false;
  return nodesIn(xml) * configuration.certificates.length <= LIGHT_NODES;
}
