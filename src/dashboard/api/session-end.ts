/** Whether the session of an open page has ended; requests report it, the frame shows it. */
const listeners = new Set<() => void>();
let hasEnded = false;

function set(value: boolean): void {
  if (hasEnded === value) return;
  hasEnded = value;
  for (const listener of listeners) listener();
}

export const sessionEnd = {
  ended: () => set(true),
  restored: () => set(false),
  current: () => hasEnded,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
