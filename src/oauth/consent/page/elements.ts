import type { ColorScheme } from '../../../look/color-scheme.ts';
import { renderDocument } from '../../../look/document.ts';
import { escapeHtml } from '../../../platform/http/html.ts';
import type { Translator } from '../../../texts/texts.ts';

/** HTML of the elements that forms consist of; every text is escaped here. */
export const text = escapeHtml;

/** The texts of a page, the host of the service that it names, and the chosen colour scheme. */
export interface PageWords extends Translator {
  host: string;
  color_scheme: ColorScheme;
}

/** Renders a page; `body` and `head` are HTML. */
export const page = (words: PageWords, title: string, body: string, head = '') => {
  const { language, direction, host, color_scheme } = words;
  return renderDocument({ language, direction, host, color_scheme, title, body, head });
};

export const script = (path: string): string => `<script type="module" src="${path}"></script>\n`;

export interface Choice {
  name: string;
  value: string;
  label: string;
  isChosen: boolean;
}

export const checkbox = ({ name, value, label, isChosen }: Choice): string =>
  `<label class="choice on"><input type="checkbox" name="${name}" value="${text(value)}"${isChosen ? ' checked' : ''}> <span dir="auto">${text(label)}</span></label>`;

/** What is shown instead of a checkbox that has no effect, until a style hides it. */
export const off = (label: string): string =>
  `<p class="choice off quiet"><span dir="auto">${text(label)}</span></p>`;

/** A checkbox that cannot be ticked. */
export const unavailable = (label: string): string =>
  `<label class="choice quiet"><input type="checkbox" disabled> <span dir="auto">${text(label)}</span></label>`;

/** Content that is shown on demand; `content` is HTML. */
export const disclosure = (options: {
  title: string;
  count: number;
  summary: string;
  /** Shown next to the title while something in the content is not ticked. */
  partly: string;
  isOpen: boolean;
  content: string;
}): string => `<details${options.isOpen ? ' open' : ''}>
<summary><b>${text(options.title)}</b> <span class="count">${options.count}</span> <span class="partly">${text(options.partly)}</span><span class="quiet">${text(options.summary)}</span></summary>
${options.content}
</details>`;

export const group = (legend: string, content: string): string =>
  `<fieldset><legend dir="auto">${text(legend)}</legend>\n${content}\n</fieldset>`;

/** A button that submits its form; `attributes` is HTML, each after a space. */
export const button = (action: string, label: string, attributes = ''): string =>
  `<button type="submit" name="action" value="${action}"${attributes}>${text(label)}</button>`;

/** A form that is posted to the page's own address. */
export const form = (content: string): string =>
  `<form method="post" autocomplete="on">\n${content}\n</form>`;

export const field = (label: string, attributes: string): string =>
  `<label class="field">${text(label)}<input ${attributes}></label>`;

export const denyForm = ({ translate }: Translator): string =>
  form(button('deny', translate('deny'), ' class="other"'));

/** A caution that a person should read before deciding; `content` is HTML. */
export const caution = (content: string): string => `<p class="caution">${content}</p>`;

/** A message about what was just submitted, which screen readers announce. */
export const alert = (message: string | null): string =>
  message === null ? '' : `<p role="alert" class="bad">${text(message)}</p>`;

/** A labeled value with further lines; `more` is HTML that follows it. */
interface Fact {
  label: string;
  value: string;
  notes?: readonly string[];
  more?: string;
}

/** As much as fits into a line of a phone. */
const LINE = 32;

/** Lets the line of a long address end after its `@`, and not within a word. */
const breakable = (value: string) =>
  value.length <= LINE ? text(value) : text(value).replaceAll('@', '@<wbr>');

export const facts = (rows: readonly Fact[]): string =>
  `<dl class="facts">\n${rows
    .map(({ label, value, notes = [], more = '' }) => {
      const further = notes
        .map((note) => `<div class="quiet"><bdi>${breakable(note)}</bdi></div>`)
        .join('');
      return `<div><dt>${text(label)}</dt><dd><bdi>${breakable(value)}</bdi>${further}${more}</dd></div>`;
    })
    .join('\n')}\n</dl>`;
