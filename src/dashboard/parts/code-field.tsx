import { Input, Skeleton } from '@mantine/core';
import { Suspense, useId } from 'react';
import type { MouseEvent, ReactNode } from 'react';
import { onDemand } from './on-demand.tsx';
import type { CodeLanguage } from './code-editor.tsx';

const CodeEditor = onDemand(async () => (await import('./code-editor.tsx')).CodeEditor);

/** A label of an editable element leads to it only by script. */
const focusEditor = ({ currentTarget }: MouseEvent<HTMLElement>) =>
  currentTarget.parentElement?.querySelector<HTMLElement>('[contenteditable]')?.focus();

/** Height of a line in rem, as in `code-editor.module.css`. */
const LINE = 1.25;

/**
 * A field for code or a long text, with the attributes of the library's fields. It has at least
 * `lines` lines and grows with its text. Its editor has a file of its own.
 */
export function CodeField({
  label,
  description,
  error,
  required = false,
  language,
  lines,
  value = '',
  onChange,
  onFocus,
  onBlur,
  'aria-label': ariaLabel,
  'data-path': path,
}: {
  label?: string;
  description?: ReactNode;
  error?: ReactNode;
  required?: boolean;
  language: CodeLanguage;
  lines: number;
  value?: string;
  onChange(value: string): void;
  onFocus?(): void;
  onBlur?(): void;
  /** Names a field without a label. */
  'aria-label'?: string;
  'data-path'?: string;
}) {
  const id = useId();
  const labelId = `${id}-name`;
  const described = [
    error ? `${id}-error` : null,
    description === undefined ? null : `${id}-description`,
  ].filter((one) => one !== null);
  const minHeight = `${(lines + 1) * LINE}rem`;
  return (
    <Input.Wrapper
      id={id}
      label={label}
      labelElement="div"
      labelProps={{ id: labelId, onClick: focusEditor }}
      description={description}
      error={error}
      required={required}
    >
      <Suspense fallback={<Skeleton height={minHeight} />}>
        <CodeEditor
          language={language}
          minHeight={minHeight}
          value={value}
          onChange={onChange}
          onFocus={onFocus}
          onBlur={onBlur}
          attributes={{
            ...(label === undefined
              ? { 'aria-label': ariaLabel ?? '' }
              : { 'aria-labelledby': labelId }),
            ...(described.length === 0 ? {} : { 'aria-describedby': described.join(' ') }),
            ...(error ? { 'aria-invalid': 'true' } : {}),
            ...(required ? { 'aria-required': 'true' } : {}),
            ...(path === undefined ? {} : { 'data-path': path }),
          }}
        />
      </Suspense>
    </Input.Wrapper>
  );
}
