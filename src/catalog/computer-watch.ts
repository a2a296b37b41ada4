// A thread beside a computation, which may never again hear that the gateway is gone.
import process from 'node:process';

const LOOK_MS = 1000;

const gateway = process.ppid;
setInterval(() => {
  if (process.ppid !== gateway) process.kill(process.pid, 'SIGKILL');
}, LOOK_MS);
