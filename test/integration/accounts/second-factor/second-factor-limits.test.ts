import { describe, expect, test } from 'vitest';
import {
  answer,
  challenge,
  codeOf,
  forgetSteps,
  signUpGuarded,
  wrongCode,
} from '../../../support/people/factors.ts';
import { createPerson, ownAddresses } from '../../../support/people/people.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway(ownAddresses);

const guarded = () => signUpGuarded(world, gateway);
const codeAnd = (token: string, code: string) => answer(gateway, { token, code });

describe('wrong codes', () => {
  test('count as failed sign-ins of the client: the eleventh is refused with 429 (rel:B4-22)', async () => {
    const ada = await guarded();
    const thief = createPerson(gateway.url);
    const attempts = [];
    for (let round = 0; round < 11; round += 1) {
      const { token } = (await challenge(ada)).second_factor;
      attempts.push((await answer(gateway, { token, code: wrongCode(ada.secret) }, thief)).status);
    }

    expect(attempts).toEqual([...Array(10).fill(401), 429]);
    const login = await thief.ask({
      path: '/api/auth/login',
      body: { email: ada.email, password: ada.password },
    });
    expect(login.status).toBe(429);
    const { token } = (await challenge(ada)).second_factor;
    expect((await codeAnd(token, codeOf(ada.secret))).status).toBe(200);
  });

  test('have a limit per account, regardless of the number of clients', async () => {
    const ada = await guarded();
    const attempts = [];
    for (let round = 0; round < 32; round += 1) {
      const { token } = (await challenge(ada)).second_factor;
      attempts.push((await codeAnd(token, wrongCode(ada.secret))).status);
    }

    expect(attempts).toEqual([...Array(30).fill(401), 429, 429]);
  });

  test('are counted, correct ones are not', async () => {
    const ada = await guarded();
    const person = createPerson(gateway.url);
    const answers = [];
    for (let round = 0; round < 12; round += 1) {
      await forgetSteps(world, ada.account_id);
      const { token } = (await challenge(ada)).second_factor;
      answers.push(await answer(gateway, { token, code: codeOf(ada.secret) }, person));
    }

    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
  });
});

test.each([
  {},
  { token: 'x' },
  { code: '123456' },
  { token: 5, code: '123456' },
  { token: 'x', code: 123_456 },
  { token: 'x', code: null },
  { token: 'x'.repeat(201), code: '123456' },
  { token: 'x', code: '1'.repeat(65) },
])('%j is rejected with 400', async (body) => {
  expect((await answer(gateway, body)).status).toBe(400);
});
