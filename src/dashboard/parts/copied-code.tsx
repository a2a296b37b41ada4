import classes from './copied-code.module.css';
import { CopyButton } from './copy-button.tsx';

/**
 * A text to enter elsewhere, whole and with a button in its corner that copies it. Its words are not
 * divided, as a browser would do within `--option`.
 */
export const CopiedCode = ({ label, text }: { label: string; text: string }) => (
  <div className={`card ${classes.box}`} dir="ltr">
    <pre tabIndex={0} aria-label={label}>
      <code>
        {text
          .split(/(\s+)/)
          .map((part, index) => (index % 2 === 0 ? <span key={index}>{part}</span> : part))}
      </code>
    </pre>
    <CopyButton text={text} isCompact />
  </div>
);
