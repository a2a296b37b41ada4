import { Code } from '@mantine/core';

/** A text of the service, in which names between backticks are shown as code. */
export const CodeText = ({ text }: { text: string }) =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part : <Code key={`${part} ${index}`}>{part}</Code>));
