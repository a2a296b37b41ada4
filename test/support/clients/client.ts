/** An MCP client of others, driven through what it offers a program; what it throws is passed on. */
export interface McpClient {
  toolNames(): Promise<string[]>;
  /** What the client hands on of a result, in one text. */
  call(name: string, input: Record<string, unknown>): Promise<string>;
  /** Left out where the client speaks of no prompts. */
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
