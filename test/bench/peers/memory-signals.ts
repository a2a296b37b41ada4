import process from 'node:process';

const print = ({ heapUsed, external }: NodeJS.MemoryUsage) => console.log(heapUsed + external);

/** Prints the bytes in use: at SIGUSR2 those after a garbage collection, at SIGWINCH as they are. */
export function printMemoryAtSignals(): void {
  process.on('SIGWINCH', () => print(process.memoryUsage()));
  process.on('SIGUSR2', () => {
    globalThis.gc!();
    print(process.memoryUsage());
  });
}
