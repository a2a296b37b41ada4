/** An event for the operator's log store: as an OpenTelemetry log record. */
export interface LoggedEvent {
  /** Name of the kind of event: `toolgate.access_decision`. */
  name: string;
  /** ISO 8601. */
  at: string;
  severity: 'info' | 'warn';
  attributes: Readonly<Record<string, string | number | boolean>>;
}

/** Sends events to an OpenTelemetry collector. */
export interface EventLogs {
  /** Whether events are sent anywhere, so that none is built in vain. */
  isOn: boolean;
  /** Never throws or waits; events that are not delivered are lost. */
  emit(event: LoggedEvent): void;
  stop(): Promise<void>;
}

/** Without a collector. */
export const noEventLogs: EventLogs = { isOn: false, emit() {}, async stop() {} };
