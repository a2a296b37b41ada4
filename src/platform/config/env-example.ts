import { z } from 'zod';

const HEADER = `# All settings of toolgate with their defaults, generated from src/platform/config/config.ts.
# \`npm start\` fills in the required ones; everywhere else they must be set.
`;

/** Returns the text of `.env.example`: each setting's description, name and default. */
export function printEnvExample(settings: z.ZodObject): string {
  const schema = z.toJSONSchema(settings, { io: 'input' });
  const required = new Set(schema.required);
  const entries = Object.entries(schema.properties ?? {}).map(([name, setting]) => {
    const { description = '', default: value = '' } = setting as z.core.JSONSchema.Schema;
    const sentence = required.has(name) ? `${description} Required.` : description;
    return `# ${sentence}\n${name}=${quoted(String(value))}\n`;
  });
  return [HEADER, ...entries].join('\n');
}

/** Quotes a value so that shells, Compose and Node's --env-file read it in the same way. */
const quoted = (value: string) => (/^[\w.:/-]*$/.test(value) ? value : `'${value}'`);
