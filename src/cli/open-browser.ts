import { spawn } from 'node:child_process';

/** Opens an address in the person's browser, if this machine has one; it is printed as well. */
export function openBrowser(address: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const opener = spawn(program, [address], { stdio: 'ignore', detached: true });
  // Without a desktop there is no such program.
  opener.on('error', () => {});
  opener.unref();
}
