// Styles of components that only this form has.
import '@mantine/core/styles/ColorSwatch.css';
import '@mantine/core/styles/ColorPicker.css';
import '@mantine/core/styles/ColorInput.css';
import '@mantine/core/styles/Grid.css';
import '@mantine/core/styles/Slider.css';
import '@mantine/dates/styles.css';
import { Form } from '@rjsf/mantine';
import type { ErrorSchema } from '@rjsf/utils';
import { useTranslation } from 'react-i18next';
import { formParts } from './form-parts.tsx';
import { formTexts } from './form-texts.ts';
import type { JsonSchema, Values } from './items.ts';
import validator from './schema-validator.ts';
import type { Issue } from './try-connection.ts';

/** A field for each argument that a schema describes, with the messages of wrong ones. */
export default function SchemaForm({
  schema,
  values,
  issues,
  onChange,
}: {
  schema: JsonSchema;
  values: Values;
  issues: readonly Issue[];
  onChange(values: Values): void;
}) {
  const { t } = useTranslation();
  return (
    <Form
      tagName="div"
      idPrefix="argument"
      schema={schema}
      validator={validator}
      {...formParts}
      formData={values}
      onChange={({ formData }) => onChange((formData ?? {}) as Values)}
      translateString={formTexts(t)}
      extraErrors={errorsAt(issues)}
      // What the form shows is what is sent: the service knows the defaults of a schema.
      experimental_defaultFormStateBehavior={{ emptyObjectFields: 'skipDefaults' }}
      uiSchema={{ 'ui:submitButtonOptions': { norender: true }, 'ui:label': false }}
      showErrorList={false}
      noValidate
      noHtml5Validate
    />
  );
}

/** Objects that inherit nothing: an argument may be called `__proto__` or `constructor`. */
const nothing = (): ErrorSchema => Object.create(null) as ErrorSchema;

/** Returns messages in the shape of the arguments, as the form takes them. */
function errorsAt(issues: readonly Issue[]): ErrorSchema {
  const errors = nothing();
  for (const { pointer, message } of issues) {
    if (pointer === '') continue;
    let at: ErrorSchema = errors;
    for (const part of pointer.split('/').slice(1))
      at = at[part.replaceAll('~1', '/').replaceAll('~0', '~')] ??= nothing();
    (at.__errors ??= []).push(message);
  }
  return errors;
}
