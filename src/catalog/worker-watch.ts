// Thread that kills this process when the gateway exits: a busy main thread would not notice it.
import process from 'node:process';
import { workerData } from 'node:worker_threads';

const POLL_MS = 1000;

// The gateway's pid, passed in: if it were read here, an earlier exit would go unnoticed.
const gateway = workerData as number;
setInterval(() => {
  if (process.ppid !== gateway) process.kill(process.pid, 'SIGKILL');
}, POLL_MS);
