import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { always } from '../../../src/caller/once.ts';
import { registerPages } from '../../../src/gateway/pages/pages.ts';

const facts = {
  ...{ id: '', address: '127.0.0.1', user_agent: null, cookies: {} },
  ...{ if_match: null, accept_language: null, from_elsewhere: false, once: always },
};

/** Returns the content security policy of a page, by directive. */
async function policyOf(fields: { widget_hosts?: readonly string[] }) {
  const app = Fastify();
  const page = { path: '/', content_type: 'text/html', handle: () => ({ status: 200, body: '' }) };
  registerPages(app, {
    pages: [{ ...page, ...fields }],
    ...{ origins: new Set<string>(), secureCookies: false, factsOf: () => facts },
  });
  const { headers } = await app.inject('/');
  const directives = String(headers['content-security-policy']).split('; ');
  return Object.fromEntries(directives.map((one) => [one.split(' ')[0], one.split(' ').slice(1)]));
}

test('a page loads only from its own origin', async () => {
  const policy = await policyOf({});

  expect(policy).toMatchObject({
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'connect-src': ["'self'"],
    'frame-ancestors': ["'none'"],
  });
  expect(policy).not.toHaveProperty('frame-src');
});

test('a page with a hosted captcha allows its hosts in script-src and frame-src only', async () => {
  const hosts = ['https://hcaptcha.com', 'https://*.hcaptcha.com'];

  const {
    'script-src': script,
    'frame-src': frame,
    ...policy
  } = await policyOf({
    widget_hosts: hosts,
  });

  expect([script, frame]).toEqual([["'self'", ...hosts], hosts]);
  expect(policy).toMatchObject({
    'default-src': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
  });
});
