import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Accounts } from '../../accounts/accounts.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { forbidden, unprocessable } from '../../platform/errors/refusal.ts';
import { equalSecrets, hashSecret } from '../../platform/secrets.ts';
import { DemoRefused } from '../../seed/seed.ts';
import type { Demo } from '../../seed/seed.ts';
import { DemoRequest } from '../../seed/demo/schema.ts';
import type { DemoState } from '../../seed/demo/schema.ts';
import { parseShape, readRequestBody } from '../http/request-body.ts';
import { requireSameSite } from '../http/same-site.ts';
import type { Origins } from '../http/same-site.ts';

export interface DevDemoDependencies {
  demo: Demo;
  /** Returns whether anyone has an account. */
  isUsed(): Promise<boolean>;
  findSignedIn: Accounts['findSignedIn'];
  /** The token of the link that a start prints while no account exists. */
  token: string;
  origins: Origins;
}

const PATH = '/dev/demo';

/**
 * Serves the page `/first-run`, for a local start only: loads the demo for the holder of the token
 * while no account exists, and removes it for its people.
 */
export function registerDevDemo(app: FastifyInstance, dependencies: DevDemoDependencies): void {
  const { demo, isUsed, findSignedIn, token, origins } = dependencies;
  const isOfDemo = async (cookies: RequestFacts['cookies']) => {
    const signedIn = await findSignedIn({ cookies });
    return signedIn !== null && demo.includes(signedIn.person);
  };
  app.get(PATH, async ({ cookies }, reply) => {
    const [isOccupied, loaded] = await Promise.all([isUsed(), demo.isLoaded()]);
    const removable = loaded && (await isOfDemo(cookies));
    return sendState(reply, { fresh: !isOccupied, loaded, removable });
  });
  app.post(PATH, async (request, reply) => {
    const body = await readRequestBody(request.raw, { body: DemoRequest }, request.ip);
    const sent = parseShape(DemoRequest, body, 'invalid_body');
    if (!equalSecrets(hashSecret(sent.token), hashSecret(token)))
      throw unprocessable('token_invalid', 'Open the link that the start printed.');
    if (await isUsed())
      throw unprocessable('token_invalid', 'The link loads the demo only while no account exists.');
    return reply
      .status(201)
      .header('cache-control', 'no-store')
      .send(await load(demo));
  });
  app.delete(PATH, async (request, reply) => {
    const { rawHeaders } = request.raw;
    requireSameSite({ method: 'DELETE', rawHeaders }, origins);
    if (!(await isOfDemo(request.cookies)))
      throw forbidden('permission_denied', 'Sign in as a person of the demo to remove it.');
    await demo.remove();
    return reply.status(204).send();
  });
}

const sendState = (reply: FastifyReply, state: DemoState) =>
  reply.header('cache-control', 'no-store').send(state);

async function load(demo: Demo) {
  try {
    return await demo.load();
  } catch (error) {
    if (error instanceof DemoRefused) throw unprocessable('token_invalid', error.message);
    throw error;
  }
}
