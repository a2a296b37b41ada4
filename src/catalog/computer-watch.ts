// A thread beside a computation, which may never again hear that the gateway is gone.
import process from 'node:process';
import { workerData } from 'node:worker_threads';

const LOOK_MS = 1000;

// As it was before any task came: read here, one that is gone by now would be missed.
const gateway = workerData as number;
setInterval(() => {
  if (process.ppid !== gateway) process.kill(process.pid, 'SIGKILL');
}, LOOK_MS);
