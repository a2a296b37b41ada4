import { renderDocument } from '../../../platform/http/document.ts';
import { escapeHtml } from '../../../platform/http/html.ts';
import type { Translator } from '../../../texts/texts.ts';

/** HTML of the elements that forms consist of; every text is escaped here. */
export const text = escapeHtml;

/** Renders a page; `body` and `head` are HTML. */
export const page = ({ language, direction }: Translator, title: string, body: string, head = '') =>
  renderDocument({ language, direction, title, body, head });

export const script = (path: string): string => `<script type="module" src="${path}"></script>\n`;

export interface Choice {
  name: string;
  value: string;
  label: string;
  isChosen: boolean;
}

const checked = (isChosen: boolean) => (isChosen ? ' checked' : '');

export const checkbox = ({ name, value, label, isChosen }: Choice): string =>
  `<label class="choice"><input type="checkbox" name="${name}" value="${text(value)}"${checked(isChosen)}> <span dir="auto">${text(label)}</span></label>`;

export const radio = ({ name, value, label, isChosen }: Choice): string =>
  `<label class="choice"><input type="radio" name="${name}" value="${text(value)}"${checked(isChosen)}> <span dir="auto">${text(label)}</span></label>`;

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

/** A message about what was just submitted, which screen readers announce. */
export const alert = (message: string | null): string =>
  message === null ? '' : `<p role="alert" class="bad">${text(message)}</p>`;

export const facts = (rows: readonly (readonly [label: string, value: string])[]): string =>
  `<dl>\n${rows.map(([label, value]) => `<div><dt>${text(label)}</dt><dd><bdi>${text(value)}</bdi></dd></div>`).join('\n')}\n</dl>`;
