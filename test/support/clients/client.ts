/** An MCP client of others, driven through what it offers a program. */
export interface McpClient {
  toolNames(): Promise<string[]>;
  /** What the client hands on of a result, in one text; what it throws is passed on. */
  call(name: string, input: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export type ConnectClient = (endpoint: string, secret: string) => Promise<McpClient>;

export interface NamedClient {
  name: string;
  connect: ConnectClient;
}
