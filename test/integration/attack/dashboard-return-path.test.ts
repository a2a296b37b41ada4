import { expect, test } from 'vitest';
import { describeInBrowser, openTab } from '../../support/people/browser.ts';
import { signUp } from '../../support/people/people.ts';
import { useGateway } from '../../support/worlds/use-gateway.ts';

const { world, gateway } = await useGateway();
const ada = await signUp(world, gateway);

describeInBrowser('a return path', (browser) => {
  test.each([
    '//evil.example/',
    '/\\evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '/app/..//evil.example/x',
    '/verify',
    '/oauth/consent/../../api/user/export',
    '/oauth/authorize?client_id=x',
    '{"a":1}',
  ])(
    'a sign-in with `?to=%s` leads to the overview: only pages of the dashboard and of the consent are return paths',
    async (to) => {
      const { page, errors } = await openTab(browser(), { baseURL: gateway.config.PUBLIC_URL });
      const sent: string[] = [];
      page.on('request', (request) => sent.push(new URL(request.url()).pathname));
      await page.goto(`/sign-in?to=${encodeURIComponent(to)}`);
      await page.getByRole('textbox', { name: 'E-mail address' }).fill(ada.email);
      await page.locator('input[name=password]').fill(ada.password);
      const signedIn = page.waitForResponse('**/api/auth/login');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      expect((await signedIn).status()).toBe(200);
      await page.waitForURL('**/app', { timeout: 5_000 }).catch(() => {});

      expect.soft(page.url()).toBe(`${gateway.config.PUBLIC_URL}/app`);
      expect.soft(sent).not.toContain('/api/user/export');
      expect.soft(errors).toEqual([]);
    },
  );
});
