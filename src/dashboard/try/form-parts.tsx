import { ActionIcon, Box, Checkbox, Group, Input, Stack, Text } from '@mantine/core';
import { getDefaultRegistry } from '@rjsf/core';
import {
  buttonId,
  canExpand,
  descriptionId,
  labelValue,
  titleId,
  TranslatableString,
} from '@rjsf/utils';
import type {
  ArrayFieldItemTemplateProps,
  ArrayFieldTemplateProps,
  DescriptionFieldProps,
  FieldPathId,
  FieldProps,
  IconButtonProps,
  MultiSchemaFieldTemplateProps,
  ObjectFieldTemplateProps,
  Registry,
  WidgetProps,
} from '@rjsf/utils';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import { AddRow, RemoveRow } from '../parts/row-buttons.tsx';
import classes from './try.module.css';

/** Between all arguments, so that only headings and rules group them. */
const GAP = '1.25rem';

const Description = ({ id, description }: Pick<DescriptionFieldProps, 'id' | 'description'>) => (
  <Text id={id} size="xs" c="dimmed">
    {description}
  </Text>
);

/** What a group of fields is; its title is no heading of the page, which the library would make it. */
const GroupHead = ({
  id,
  title,
  required,
  description,
}: {
  id: FieldPathId;
  title: string;
  required: boolean | undefined;
  description: string | ReactElement | undefined;
}) => (
  <div>
    <Input.Label id={titleId(id)} labelElement="div" fw={600} required={required ?? false}>
      {title}
    </Input.Label>
    {description !== undefined && <Description id={descriptionId(id)} description={description} />}
  </div>
);

function ArrayGroup(props: ArrayFieldTemplateProps) {
  const { fieldPathId, title, schema, required, items, canAdd, onAddClick, registry } = props;
  return (
    <Stack
      id={fieldPathId.$id}
      role="group"
      aria-labelledby={titleId(fieldPathId)}
      className="card"
      gap={GAP}
      p="md"
    >
      <GroupHead
        id={fieldPathId}
        title={title}
        required={required}
        description={schema.description}
      />
      {items}
      {canAdd === true && (
        <AddButton
          id={buttonId(fieldPathId, 'add')}
          registry={registry}
          disabled={props.disabled === true}
          onClick={onAddClick}
        />
      )}
    </Stack>
  );
}

/** An entry; its buttons are on a level with its field, or with the title of a group of fields. */
function ArrayItem({
  children,
  buttonsProps,
  schema,
  displayLabel,
  hasDescription,
}: ArrayFieldItemTemplateProps) {
  const { registry, hasMoveUp, hasMoveDown, hasRemove, onRemoveItem } = buttonsProps;
  const text = registry.translateString;
  const isGroup = schema.type === 'object' || schema.type === 'array';
  return (
    <Box className={classes.entry} mod={{ group: isGroup }}>
      {children}
      <Group
        className={classes.entryButtons}
        mod={{ field: displayLabel, described: hasDescription }}
        wrap="nowrap"
        gap={0}
      >
        {(hasMoveUp || hasMoveDown) && (
          <>
            <ActionIcon
              {...{ variant: 'subtle', color: 'gray', size: 'lg' }}
              aria-label={text(TranslatableString.MoveUpButton)}
              disabled={!hasMoveUp}
              onClick={buttonsProps.onMoveUpItem}
            >
              <IconArrowUp size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon
              {...{ variant: 'subtle', color: 'gray', size: 'lg' }}
              aria-label={text(TranslatableString.MoveDownButton)}
              disabled={!hasMoveDown}
              onClick={buttonsProps.onMoveDownItem}
            >
              <IconArrowDown size={16} aria-hidden />
            </ActionIcon>
          </>
        )}
        {hasRemove && (
          <RemoveRow label={text(TranslatableString.RemoveButton)} onClick={onRemoveItem} />
        )}
      </Group>
    </Box>
  );
}

function ObjectGroup(props: ObjectFieldTemplateProps) {
  const { fieldPathId, title, description, required, properties, registry } = props;
  const fields: ReactNode = (
    <>
      {properties.filter(({ hidden }) => !hidden).map(({ content }) => content)}
      {canExpand(props.schema, props.uiSchema, props.formData) && (
        <AddButton
          id={buttonId(fieldPathId, 'add')}
          registry={registry}
          disabled={props.disabled === true}
          onClick={props.onAddProperty}
        />
      )}
    </>
  );
  if (title === '')
    return (
      <Stack id={fieldPathId.$id} gap={GAP}>
        {fields}
      </Stack>
    );
  return (
    <Stack id={fieldPathId.$id} role="group" aria-labelledby={titleId(fieldPathId)} gap="xs">
      <GroupHead id={fieldPathId} title={title} required={required} description={description} />
      <Stack gap={GAP} className={classes.group}>
        {fields}
      </Stack>
    </Stack>
  );
}

const Alternatives = ({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) => (
  <Stack gap={GAP}>
    {selector}
    {optionSchemaField}
  </Stack>
);

function CheckboxField({
  id,
  htmlName,
  name,
  value,
  label,
  hideLabel,
  schema,
  options,
  required,
  disabled,
  readonly,
  rawErrors = [],
  onChange,
}: WidgetProps) {
  return (
    <Checkbox
      id={id}
      name={htmlName ?? name}
      label={labelValue(label, hideLabel)}
      description={options.description ?? schema.description}
      required={required}
      disabled={disabled === true || readonly === true}
      checked={value === true}
      error={rawErrors.length > 0 ? rawErrors.join('\n') : undefined}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}

const AddButton = ({
  id,
  registry,
  disabled,
  onClick,
}: {
  id: string;
  registry: Registry;
  disabled: boolean;
  onClick(): void;
}) => (
  <AddRow id={id} disabled={disabled} onClick={onClick}>
    {registry.translateString(TranslatableString.AddItemButton)}
  </AddRow>
);

/** Removes an argument that the schema does not name. */
const RemoveButton = ({ id, registry, disabled = false, onClick }: IconButtonProps) => (
  <RemoveRow
    id={id}
    label={registry.translateString(TranslatableString.RemoveButton)}
    disabled={disabled}
    onClick={onClick}
  />
);

const SchemaField = getDefaultRegistry().fields.SchemaField!;

/** Entries are called by the title of their list and their number, where the library has `guests-1`. */
function Field({ index, title, ...props }: FieldProps & { index?: number }) {
  if (index === undefined) return <SchemaField title={title} {...props} />;
  const name = props.schema.title ?? title?.replace(/-\d+$/, '');
  return (
    <SchemaField
      {...props}
      required={false}
      uiSchema={{ ...props.uiSchema, 'ui:title': `${name ?? ''} ${index + 1}`.trim() }}
    />
  );
}

/** How the form shows arguments, where it differs from the library. */
export const formParts = {
  fields: { SchemaField: Field },
  widgets: { CheckboxWidget: CheckboxField },
  templates: {
    ArrayFieldTemplate: ArrayGroup,
    ArrayFieldItemTemplate: ArrayItem,
    ObjectFieldTemplate: ObjectGroup,
    MultiSchemaFieldTemplate: Alternatives,
    DescriptionFieldTemplate: Description,
    ButtonTemplates: { RemoveButton },
  },
};
