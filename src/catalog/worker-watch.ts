// Thread that kills this process when the gateway dies: a busy main thread would not notice it.
import process from 'node:process';
import { workerData } from 'node:worker_threads';

const POLL_MS = 1000;

// The parent's pid before the first task; read here, an earlier death would go unnoticed.
const gateway = workerData as number;
setInterval(() => {
  if (process.ppid !== gateway) process.kill(process.pid, 'SIGKILL');
}, POLL_MS);
