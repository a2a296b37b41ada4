import { json, jsonParseLinter } from '@codemirror/lang-json';
import { defineLanguageFacet, Language, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { EditorView } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { parser as markdownParser } from '@lezer/markdown';
import CodeMirror from '@uiw/react-codemirror';
import { useMemo } from 'react';
import classes from './code-editor.module.css';

export type CodeLanguage = 'json' | 'markdown' | 'text';

const NO_ERRORS: readonly [] = [];

/** An empty text is no error of JSON: the field may be left out. */
const jsonErrors = (view: EditorView) =>
  view.state.doc.toString().trim() === '' ? NO_ERRORS : jsonParseLinter()(view);

// CodeMirror's own package for Markdown also loads HTML, CSS and JavaScript: half the size of the editor.
const markdown = new Language(defineLanguageFacet(), markdownParser, [], 'markdown');

/** Colours are in the style sheet, which follows the colour scheme. */
const EXTENSIONS = {
  json: [json(), linter(jsonErrors), EditorView.lineWrapping],
  markdown: [markdown, EditorView.lineWrapping],
  text: [EditorView.lineWrapping],
} as const;

/** Tab leaves the editor, and the browser's own search finds text in it. */
const TEXT_SETUP = {
  lineNumbers: false,
  closeBrackets: false,
  foldGutter: false,
  highlightActiveLine: false,
  highlightActiveLineGutter: false,
  highlightSelectionMatches: false,
  autocompletion: false,
  completionKeymap: false,
  searchKeymap: false,
  syntaxHighlighting: false,
} as const;
const JSON_SETUP = { ...TEXT_SETUP, lineNumbers: true, closeBrackets: true } as const;

/** An editor with the syntax of a language; `attributes` are those of the element with the text. */
export function CodeEditor({
  language,
  minHeight,
  value,
  onChange,
  onFocus,
  onBlur,
  attributes,
}: {
  language: CodeLanguage;
  minHeight: string;
  value: string;
  onChange(value: string): void;
  onFocus: (() => void) | undefined;
  onBlur: (() => void) | undefined;
  attributes: Readonly<Record<string, string>>;
}) {
  const stated = JSON.stringify(attributes);
  const extensions = useMemo(
    () => [
      ...EXTENSIONS[language],
      syntaxHighlighting(classHighlighter),
      EditorView.contentAttributes.of({
        ...(JSON.parse(stated) as Record<string, string>),
        dir: language === 'json' ? 'ltr' : 'auto',
        spellcheck: language === 'markdown' ? 'true' : 'false',
        // The editor can have the focus without it, but axe does not know that.
        tabindex: '0',
      }),
    ],
    [language, stated],
  );
  return (
    <CodeMirror
      className={classes.editor ?? ''}
      theme="none"
      basicSetup={language === 'json' ? JSON_SETUP : TEXT_SETUP}
      indentWithTab={false}
      extensions={extensions}
      minHeight={minHeight}
      maxHeight="70vh"
      value={value}
      onChange={onChange}
      {...(onFocus === undefined ? {} : { onFocus })}
      {...(onBlur === undefined ? {} : { onBlur })}
    />
  );
}
