import { describe, expect, test } from 'vitest';
import { translatedLanguages } from '../../../../src/texts/languages.ts';
import { texts } from '../../../../src/texts/texts.ts';
import { useGateway } from '../../../support/worlds/use-gateway.ts';
import { paths } from './small-pages.ts';

const { gateway } = await useGateway();
const { url } = gateway;

describe.each(Object.entries(paths))('%s', (path, name) => {
  test.each(translatedLanguages)('is in %s if the browser prefers it', async (language) => {
    const headers = { 'accept-language': `xx, ${language}-ZZ;q=0.9, en;q=0.1` };
    const answer = await fetch(`${url}${path}`, { headers });
    const html = await answer.text();

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-language')).toBe(language);
    expect(answer.headers.get('vary')).toContain('Accept-Language');
    expect(html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
    expect(html).toContain(`<h1>${texts[language].pages[name].title}</h1>`);
    expect(html).not.toMatch(/undefined|\{\{|>(?:frame|errors|\w+)\.\w+</);
  });

  test.each([undefined, 'fi', '*', '%%%'])('is in English for %j', async (language) => {
    const headers = language === undefined ? {} : { 'accept-language': language };
    const answer = await fetch(`${url}${path}`, { headers });

    expect(answer.headers.get('content-language')).toBe('en');
  });

  test('is in the language and the colour scheme that were chosen in the dashboard', async () => {
    const cookie = 'toolgate-language=de; toolgate-color-scheme=dark';
    const answer = await fetch(`${url}${path}`, { headers: { 'accept-language': 'fr', cookie } });

    expect(answer.headers.get('content-language')).toBe('de');
    expect(answer.headers.get('vary')).toContain('Cookie');
    expect(await answer.text()).toContain('<html lang="de" dir="ltr" data-color-scheme="dark">');
  });

  test('cannot be framed and runs no script but ours (rel:B6-7)', async () => {
    const { headers } = await fetch(`${url}${path}`);

    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/,
    );
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});
