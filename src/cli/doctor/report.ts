import type { Area, Finding } from './finding.ts';

const TITLES: Readonly<Record<Area, string>> = {
  configuration: 'Configuration',
  servers: 'Servers',
  address: 'Address',
  protocol: 'Protocol',
};

/** Describes findings for a terminal: a line for each, and its remedy below. */
export function describeFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const areas = Map.groupBy(findings, ({ area }) => area);
  const lines = [...areas].flatMap(([area, ofArea]) => [
    TITLES[area],
    ...ofArea.flatMap((finding) => describe(finding, width)),
    '',
  ]);
  return [...lines, summaryOf(findings)].join('\n');
}

function describe({ status, check, message, remedy }: Finding, width: number): string[] {
  const line = `  ${status.padEnd(8)} ${check.padEnd(width)}  ${message}`;
  return remedy === null ? [line] : [line, `${' '.repeat(width + 13)}→ ${remedy}`];
}

function summaryOf(findings: readonly Finding[]): string {
  const count = (status: string) => findings.filter((one) => one.status === status).length;
  const [failures, warnings, skipped] = ['failure', 'warning', 'skipped'].map(count);
  if (failures === 0 && warnings === 0) return 'Everything is fine.';
  return `Failures: ${failures}. Warnings: ${warnings}. Not checked: ${skipped}.`;
}
