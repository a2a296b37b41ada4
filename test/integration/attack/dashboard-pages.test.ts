import { expect, test } from 'vitest';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { gateway } = await useGateway();

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${gateway.url}${path}`, {
    headers: { accept: 'text/html', ...headers },
    redirect: 'manual',
  });
  return { response, text: await response.text() };
};

const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>';
const PAGES = [
  ...['/', '/first-run', '/sign-in', '/sign-up', '/forgot', '/app', '/app/x', '/app/org/x/keys'],
  ...['/verify', '/reset', '/email/confirm', '/email/undo', '/invite', '/sign-in/second-factor'],
  ...['/sign-in/email', '/sign-in/refused', '/docs/api', '/docs/api/', '/dev/mail', '/nothing'],
  ...[
    '/oauth/consent/x',
    '/oauth/authorize?client_id=nope',
    '/assets/x.js',
    '/api/nothing',
    '//evil.example/',
  ],
  ...['/app//evil.example', '/assets/..%2findex.html', '/assets/%2e%2e/index.html'],
];

test.each(PAGES)('no page can show %s in a frame, nor guess its type', async (path) => {
  for (const address of [
    path,
    `${path}${path.includes('?') ? '&' : '?'}q=${encodeURIComponent(HOSTILE)}&redirect_uri=javascript:alert(1)`,
  ]) {
    const { response, text } = await get(address, {
      cookie: 'toolgate-color-scheme="><script>alert(3)</script>; toolgate-language="><b>',
    });
    expect
      .soft(response.headers.get('content-security-policy'), address)
      .toContain("frame-ancestors 'none'");
    expect.soft(response.headers.get('x-content-type-options'), address).toBe('nosniff');
    expect.soft(response.headers.get('x-frame-options'), address).toBe('DENY');
    expect.soft(text, address).not.toContain('<script>alert');
    expect.soft(text, address).not.toContain('onerror=alert(2)>');
    expect
      .soft(response.headers.get('location') ?? '/', address)
      .toMatch(/^\/(?!\/)|^http:\/\/(localhost|127\.0\.0\.1)/);
  }
});

test('the reference answers the same to every query', async () => {
  const plain = await get('/docs/api/');
  const hostile = await get(
    `/docs/api/?url=https://evil.example/x.json&q=${encodeURIComponent(HOSTILE)}`,
  );
  expect(hostile.text).toBe(plain.text);
  expect(hostile.response.headers.get('content-security-policy')).toBe(
    plain.response.headers.get('content-security-policy'),
  );
});
