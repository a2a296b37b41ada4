import type { TryItem, Values } from './items.ts';

/** A wrong argument, by its JSON Pointer. */
export interface Issue {
  pointer: string;
  message: string;
}

/** The result of a call. */
export interface Outcome {
  /** A result, a result that is an error, or a protocol error. */
  kind: 'answered' | 'failed' | 'refused';
  /** Exactly what was returned. */
  answer: unknown;
  /** Code of the error, if it is one. */
  code: string | null;
  issues: readonly Issue[];
  /** Milliseconds until the answer. */
  ms: number;
}

/** A connection with which this page calls tools as its person. */
export interface TryConnection {
  id: string;
  account_id: string;
  /** Null: it works in the person's own account. */
  organization_id: string | null;
  /** When its only token expires, in milliseconds. */
  expires_at: number;
  list(): Promise<TryItem[]>;
  /** Throws `RequestError`: 401 once the connection has ended. */
  run(item: TryItem, values: Values): Promise<Outcome>;
  close(): Promise<void>;
}

interface TryState {
  connection: TryConnection;
  /** Its token is no longer accepted; what was listed and typed is still shown. */
  isOver: boolean;
}

const listeners = new Set<() => void>();
let state: TryState | null = null;

function set(next: TryState | null): void {
  state = next;
  for (const listener of listeners) listener();
}

/** The connection of this tab. It is in memory alone: closing or reloading the tab forgets it. */
export const tryConnection = {
  current: () => state,
  opened: (connection: TryConnection) => set({ connection, isOver: false }),
  /** Marks a connection as over, unless another one has replaced it. */
  over(connection: TryConnection) {
    if (state?.connection === connection) set({ connection, isOver: true });
  },
  forget() {
    void state?.connection.close();
    set(null);
  },
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
