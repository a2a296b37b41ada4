import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';

const PORTS = 300;
const module = new URL('../support/servers/free-port.ts', import.meta.url).href;
const script = `
  const { freePort } = await import(${JSON.stringify(module)});
  const ports = [];
  while (ports.length < ${PORTS}) ports.push(await freePort());
  console.log(JSON.stringify(ports));
  process.stdin.resume();
`;

/** Returns the ports that one process received; the process lives until the test ends. */
async function portsOfOneProcess(): Promise<number[]> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return JSON.parse(line);
}

test('a port is not returned twice while the processes that received ports are alive', async () => {
  const ports = await Promise.all([portsOfOneProcess(), portsOfOneProcess()]);

  expect(new Set(ports.flat()).size).toBe(2 * PORTS);
});
