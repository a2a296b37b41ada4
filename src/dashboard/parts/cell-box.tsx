import type { ReactNode } from 'react';
import classes from './cell-box.module.css';

/** A checkbox for tables with a hundred of them: it looks like the library's, and is much cheaper to draw. */
export function CellBox({
  label,
  className = '',
  isChecked,
  isPartlyChecked = false,
  isDisabled,
  onChange,
  ...attributes
}: {
  label: ReactNode;
  className?: string | undefined;
  isChecked: boolean;
  isPartlyChecked?: boolean;
  isDisabled: boolean;
  onChange(isChecked: boolean): void;
  'aria-label': string;
  'aria-describedby'?: string | undefined;
  title?: string;
}) {
  return (
    <label className={`${classes.box} ${className}`}>
      <input
        type="checkbox"
        ref={(input) => {
          if (input !== null) input.indeterminate = isPartlyChecked;
        }}
        checked={isChecked}
        disabled={isDisabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        {...attributes}
      />
      <span>{label}</span>
    </label>
  );
}
