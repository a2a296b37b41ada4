import { expect, test } from 'vitest';
import { Settings } from '../../../src/platform/config/config.ts';
import { printEnvExample } from '../../../src/platform/config/env-example.ts';

test('.env.example matches the settings', async () => {
  await expect(printEnvExample(Settings)).toMatchFileSnapshot('../../../.env.example');
});

test.each(Object.entries(Settings.shape))('%s has a description', (_name, setting) => {
  expect(setting.description).toMatch(/^[A-Z].*\.$/);
});
