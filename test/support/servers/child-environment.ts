/**
 * What a child process needs of this process's environment: where programs are, and compiled code,
 * without which it takes twice as long to start.
 */
export const childEnvironment = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
};
