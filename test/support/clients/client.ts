/** Adapter for a third-party MCP client, driven through its public API; errors are rethrown. */
export interface McpClient {
  toolNames(): Promise<string[]>;
  /** Calls a tool and returns the part of the result that the client passes on, as text. */
  call(name: string, input: Record<string, unknown>): Promise<string>;
  /** Absent if the client does not support prompts. */
  prompts?: {
    names(): Promise<string[]>;
    get(name: string, values: Record<string, string>): Promise<string>;
  };
  resources: {
    uris(): Promise<string[]>;
    read(uri: string): Promise<string>;
  };
  close(): Promise<void>;
}

export type ConnectClient = (endpoint: string, secret: string) => Promise<McpClient>;

export interface NamedClient {
  name: string;
  hasPrompts?: boolean;
  connect: ConnectClient;
}
