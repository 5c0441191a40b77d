import { useRef } from 'preact/hooks'
import { nameChoices } from '../../data/choices.ts'
import type { Fault } from '../../data/fault.ts'
import type { Template } from '../../data/record-types.ts'
import { formatTextSize } from '../../data/text/text-size.ts'
import { t, tn, tx } from '../../language/words.ts'
import { Attachments } from '../../parts/attachments/attachments.tsx'
import { Segments } from '../../parts/form/choices.tsx'
import { SelectField, TextArea, TextField } from '../../parts/form/field.tsx'
import { Button, Notice } from '../../parts/form/form.tsx'
import { VariableButtons } from '../../parts/form/variable-buttons.tsx'
import { SuggestPlainText } from '../../parts/suggest-plain-text.tsx'
import { makePageHref } from '../../router.ts'
import { type Composition, countWithout, type Preview } from './composition.ts'

interface Props {
  readonly composition: Composition
  readonly onChange: (part: Partial<Composition>) => void
  readonly fault: Fault | undefined
  /** Whether pictures or other files are sent with the text. */
  readonly hasFiles: boolean
}

interface TemplateProps {
  readonly templates: readonly Template[]
  readonly variables: readonly string[]
  /** Variables without a value for at least one recipient. */
  readonly missing: readonly string[]
  readonly preview: Preview | undefined
  /** Whether the text has `{{name}}` without a default, and a recipient has no name. */
  readonly hasGap: boolean
}

const DEFAULT = `{{name|${t('there')}}}`
/** The text with a default for people without a name. */
const addNameDefault = (text: string) => text.replace(/\{\{\s*name\s*\}\}/gi, () => DEFAULT)

const KINDS = [
  ['text', t('Write a text')],
  ['template', t('Use a template')],
] as const

export function WhatField(props: Props & TemplateProps) {
  const { composition, onChange } = props
  return (
    <>
      <Segments
        legend={t('What to send')}
        choices={KINDS}
        chosen={composition.kind}
        onChoose={(kind) => onChange({ kind })}
      />
      {composition.kind === 'text' ? <PlainText {...props} /> : <FromTemplate {...props} />}
    </>
  )
}

function PlainText(props: Props & TemplateProps) {
  const { composition, onChange, fault, hasFiles } = props
  const { text } = composition
  const area = useRef<HTMLTextAreaElement>(null)
  return (
    <>
      <TextArea
        label={t('Text')}
        name="text"
        rows={5}
        value={text}
        onValue={(typed) => onChange({ text: typed })}
        fault={fault}
        inputRef={area}
        hint={formatTextSize(text, hasFiles)}
      />
      <VariableButtons text={text} onText={(text) => onChange({ text })} area={area} />
      {!hasFiles && <SuggestPlainText text={text} onText={(plain) => onChange({ text: plain })} />}
      {props.hasGap && (
        <Notice kind="warning">
          {t('Some of them have no name: the text then has a gap.')}{' '}
          <Button onClick={() => onChange({ text: addNameDefault(text) })}>
            {t('Write {default} instead', { default: DEFAULT })}
          </Button>
        </Notice>
      )}
      <VariableFields {...props} />
    </>
  )
}

function FromTemplate(props: Props & TemplateProps) {
  const { composition, onChange, fault, templates } = props
  const { template } = composition
  const chosen = templates.find(({ id }) => id === template)
  if (templates.length === 0)
    return (
      <p class="muted">
        {t('You have no templates yet.')} <a href={makePageHref('/templates')}>{t('Create one')}</a>
      </p>
    )
  return (
    <>
      <SelectField
        label={t('Template')}
        name="template"
        value={template}
        onValue={(id) => onChange({ template: id })}
        fault={fault}
        choices={[['', t('Choose…')], ...nameChoices(templates)]}
        hint={chosen?.body}
      />
      {chosen && <Attachments record={chosen} />}
      {props.hasGap && (
        <Notice kind="warning">
          {tx('Some of them have no name: the text then has a gap. Write {default} in {link}.', {
            default: DEFAULT,
            link: <a href={makePageHref('/templates')}>{t('the template')}</a>,
          })}
        </Notice>
      )}
      <VariableFields {...props} />
    </>
  )
}

function VariableFields({
  composition,
  onChange,
  fault,
  variables,
  missing,
  preview,
}: Props & TemplateProps) {
  const { variables: values } = composition
  if (variables.length === 0) return null
  return (
    <div class="pairs">
      {variables.map((name) => (
        <TextField
          key={name}
          label={name}
          name={`variable ${name}`}
          value={values[name] ?? ''}
          onValue={(value) => onChange({ variables: { ...values, [name]: value } })}
          fault={fault}
          hint={[preview && describeGap(preview, name), ...describeUse(composition, name, missing)]
            .filter(Boolean)
            .join(' ')}
        />
      ))}
    </div>
  )
}

/** How many recipients need a value for a variable; nothing if all of them do. */
function describeGap(preview: Preview, name: string): string | undefined {
  const total = preview.items.length
  const without = countWithout(preview, name)
  if (without === 0 || without === total) return undefined
  return tn(
    '{count} of {total} recipients has no value.',
    '{count} of {total} recipients have no value.',
    without,
    { total },
  )
}

/** Who gets the value that is typed for a variable. */
function describeUse(
  { kind, variables }: Composition,
  name: string,
  missing: readonly string[],
): readonly string[] {
  if (kind === 'text') return [t('For people without a value. Contacts keep their own.')]
  if (!missing.includes(name) && !variables[name])
    return [t('If empty, the value of each contact is used, or else the default of the text.')]
  return [
    t('Goes to all recipients, also to contacts with a value of their own.'),
    t('To fill only the gap, write {default} in the template.', { default: `{{${name}|…}}` }),
  ]
}
