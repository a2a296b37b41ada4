import type { Config } from '../../platform/config/config.ts';
import { addressChecks } from './address.ts';
import { configurationChecks, settingChecks } from './configuration.ts';
import { runChecks, sharedWork } from './finding.ts';
import type { Finding } from './finding.ts';
import { protocolChecks } from './protocol.ts';
import { requestSelfCheck } from './self-check.ts';
import { serverChecks } from './servers.ts';

/** Runs all checks that the configuration allows. */
export async function diagnose(
  config: Config | Error,
  options: { drift: boolean },
): Promise<Finding[]> {
  const settings = await runChecks('configuration', settingChecks(config));
  if (config instanceof Error) return settings;
  const findings = await Promise.all([
    runChecks('configuration', configurationChecks(config)),
    checkServers(config, options),
    checkAddress(config),
  ]);
  return [...settings, ...findings.flat()];
}

async function checkServers(config: Config, options: { drift: boolean }): Promise<Finding[]> {
  const { checks, close } = serverChecks(config, options);
  try {
    return await runChecks('servers', checks);
  } finally {
    await close();
  }
}

async function checkAddress(config: Config): Promise<Finding[]> {
  const selfCheck = sharedWork(() => requestSelfCheck(config));
  const findings = await Promise.all([
    runChecks('address', addressChecks(config, selfCheck)),
    runChecks('protocol', protocolChecks(config, selfCheck)),
  ]);
  return findings.flat();
}
