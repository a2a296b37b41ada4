import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createAuthenticate } from '../../../src/gateway/senders/authenticate.ts';
import { credentialsOf } from '../../../src/gateway/senders/credentials.ts';
import { invalidCredential, isRefusal } from '../../../src/platform/errors/refusal.ts';
import { fromHere } from '../../support/from-here.ts';

/** Returns the refusals of a credential on REST and on `/mcp` when its lookup fails with `error`. */
async function kindsOf(error: Error, ...header: [name: string, value: string]) {
  const find = () => Promise.reject(error);
  const { authenticate, authenticateMcp } = createAuthenticate({
    ...{ apiKey: find, agent: find, session: find, token: find, agentToken: find },
    liveSession: find,
    ...{ isAccessToken: (token) => token === 'access', origins: new Set<string>() },
  });
  const request = Object.assign(new IncomingMessage(new Socket()), { rawHeaders: header });
  const credentials = credentialsOf(request, 'session', fromHere);
  const attempts = [authenticate(credentials, 'caller'), authenticateMcp(credentials)];
  const thrown = await Promise.all(attempts.map((one) => one.catch((reason: unknown) => reason)));
  return thrown.map((reason) => isRefusal(reason) && reason.kind);
}

const headers: [name: string, value: string][] = [
  ['X-API-Key', 'sk_x'],
  ['Authorization', 'Bearer x'],
  ['Authorization', 'Bearer access'],
];

test.each(headers)(
  'a credential whose lookup fails is refused as unavailable: %s',
  async (...header) => {
    const connectionError = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

    expect(await kindsOf(connectionError, ...header)).toEqual(['unavailable', 'unavailable']);
    expect(await kindsOf(new TypeError('a defect'), ...header)).toEqual([
      'unavailable',
      'unavailable',
    ]);
  },
);

test.each(headers)('an invalid credential is refused as unauthenticated: %s', async (...header) => {
  expect(await kindsOf(invalidCredential(), ...header)).toEqual([
    'unauthenticated',
    'unauthenticated',
  ]);
});
