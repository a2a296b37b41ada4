// Thread that kills this process when the gateway exits, which a busy main thread does not notice.
import process from 'node:process';
import { workerData } from 'node:worker_threads';

const POLL_MS = 1000;

// The gateway's pid. It is passed in: if it were read here, an earlier exit would go unnoticed.
const gateway = workerData as number;
setInterval(() => {
  if (process.ppid !== gateway) process.kill(process.pid, 'SIGKILL');
}, POLL_MS);
