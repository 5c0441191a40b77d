import type { ComponentChildren, Ref } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import * as collections from '../../data/collections.ts'
import type { Fault } from '../../data/fault.ts'
import type { RecordOf } from '../../data/records.ts'
import { userId } from '../../data/session.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { CheckField, CheckList, SelectField, TextArea, TextField } from '../form/field.tsx'
import { Actions, Button, Form } from '../form/form.tsx'
import { More } from '../form/more.tsx'
import { toast } from '../toast.tsx'
import {
  complete,
  faultIn,
  type Kept,
  type Schema,
  storedOf,
  typedOf,
  type Value,
  type Values,
} from './values.ts'

/** A field of a form. If `kind` is absent, RecordForm takes it from the collection's schema. */
export interface FieldRow extends Kept {
  readonly label: string
  readonly hint?: ComponentChildren | ((values: Values) => ComponentChildren)
  readonly min?: number
  readonly max?: number
  readonly maxLength?: number
  readonly autocomplete?: string
  readonly autofocus?: boolean
  readonly spellcheck?: boolean
  readonly inputRef?: Ref<HTMLTextAreaElement>
  readonly class?: string
  readonly shown?: (values: Values) => boolean
  /** The message to show if the server refuses the value. Replaces the server's own. */
  readonly refused?: string
  readonly input?: (row: FieldRow, value: Value, onValue: (value: Value) => void) => ComponentChildren
  /** Returns why the typed value cannot be sent. Shown after the first try to submit. */
  readonly error?: (typed: Value, values: Values) => string | undefined
}

interface Filling {
  readonly values: Values
  change(part: Values): void
  readonly fault: Fault | undefined
  readonly isTried: boolean
}

/** Rarely needed rows, hidden until the user opens the line `summary`. */
interface Folded {
  readonly summary: string
  readonly folded: readonly FormRow[]
}

/** A field, fields side by side, folded rows, or a function that renders anything else. */
export type FormRow = FieldRow | readonly FieldRow[] | Folded | ((form: Filling) => ComponentChildren)

const isList = (row: FormRow): row is readonly FieldRow[] => Array.isArray(row)

const fieldsIn = (rows: readonly FormRow[]): readonly FieldRow[] =>
  rows.flatMap((row) => {
    if (typeof row === 'function') return []
    return 'folded' in row ? fieldsIn(row.folded) : row
  })

const withSchema = (rows: readonly FormRow[], schema: Schema): readonly FormRow[] =>
  rows.map((row) => {
    if (typeof row === 'function') return row
    if (isList(row)) return row.map((each) => complete(each, schema[each.name]))
    return 'folded' in row
      ? { ...row, folded: withSchema(row.folded, schema) }
      : complete(row, schema[row.name])
  })

type Stored = Record<string, unknown>

interface RowsFormProps {
  /** The key of the stored draft: names the form and its record. */
  readonly draftKey: string
  readonly rows: readonly FormRow[]
  readonly stored: object
  /** Saves the changed fields or all of them. Returns the message to show; undefined if not saved. */
  readonly save: (changes: Stored, all: Stored) => Promise<string | undefined>
  /** Asks before the user leaves the page with unsaved changes. */
  readonly asks?: boolean
  readonly action?: string
  readonly onDone?: () => void
  /** Called by the cancel button, after it has discarded the changes. */
  readonly onCancel?: (() => void) | undefined
  /** Called at each change with the values to store, and whether they differ from the stored ones. */
  readonly onTyped?: (all: Stored, isChanged: boolean) => void
  /** Shows the form's buttons only while there are unsaved changes. */
  readonly isQuiet?: boolean
  /** Further buttons beside the save button. */
  readonly children?: ComponentChildren
}

/** A form of the fields `rows`. Keeps typed values when the page is left. Shows errors beside fields. */
export function RowsForm({ draftKey, rows, stored, save, asks, action = t('Save'), ...rest }: RowsFormProps) {
  const fields = fieldsIn(rows)
  const secrets = fields.filter(({ kind }) => kind === 'password').map(({ name }) => name)
  const draft = useDraft<Values>(draftKey, typedOf(fields, stored), { asks: asks ?? false, secrets })
  const [isTried, setTried] = useState(false)
  const values = draft.value
  const work = useTask(async () => {
    const said = await save(storedOf(fields, draft.changes as Values), storedOf(fields, values))
    if (said === undefined) return
    draft.saved({ ...values, ...Object.fromEntries(secrets.map((name) => [name, ''])) })
    setTried(false)
    if (said) toast(said)
    rest.onDone?.()
  })
  const { onTyped } = rest
  useEffect(() => onTyped?.(storedOf(fields, values), draft.isChanged), [values, draft.isChanged])
  const shown = fields.filter((row) => row.shown?.(values) ?? true)
  const submit = () => {
    setTried(true)
    return shown.some((row) => errorOf(row, values)) || work.run()
  }
  const cancel = () => {
    draft.discard()
    rest.onCancel?.()
  }
  const named = shown.filter(({ kind }) => kind !== 'check')
  const told = Object.keys(work.fault?.fields ?? {}).filter((path) =>
    named.some(({ name }) => path === name || path.startsWith(`${name}.`)),
  )
  const form = { values, change: draft.change, fault: work.fault, isTried }
  return (
    <Form onSubmit={submit} fault={work.fault} names={told}>
      <Rows rows={rows} form={form} />
      {(!rest.isQuiet || draft.isChanged) && (
        <Actions>
          <Button type="submit" kind="primary" busy={work.busy}>
            {action}
          </Button>
          {(rest.onCancel || rest.isQuiet) && <Button onClick={cancel}>{t('Cancel')}</Button>}
          {rest.children}
        </Actions>
      )}
    </Form>
  )
}

export const Rows = ({ rows, form }: { rows: readonly FormRow[]; form: Filling }) => (
  <>
    {rows.map((row, at) => {
      if (typeof row === 'function') return row(form)
      if ('folded' in row)
        return (
          <More
            key={at}
            summary={row.summary}
            isWrong={fieldsIn(row.folded).some((each) => faultOf(each, form))}
          >
            <div class="stack">
              <Rows rows={row.folded} form={form} />
            </div>
          </More>
        )
      if (!isList(row)) return <Row key={row.name} row={row} form={form} />
      const shown = row.filter((each) => each.shown?.(form.values) ?? true)
      return (
        shown.length > 0 && (
          <div key={at} class="pairs">
            {shown.map((each) => (
              <Row key={each.name} row={each} form={form} />
            ))}
          </div>
        )
      )
    })}
  </>
)

const errorOf = ({ name, error }: FieldRow, values: Values) => error?.(values[name] ?? '', values)

/** The error shown beside a field: from the row's `error`, or from the server. */
const faultOf = (row: FieldRow, { values, fault, isTried }: Filling): string | undefined =>
  (isTried && errorOf(row, values)) || refusal(row, fault) || undefined

const refusal = ({ name, refused }: FieldRow, fault: Fault | undefined) => {
  const said = fault && faultIn(fault.fields, name)
  return said && (refused ?? said)
}

function Row({ row, form }: { row: FieldRow; form: Filling }) {
  const { values, change, fault } = form
  const { kind, choices = [], hint, shown, rows, inputRef, class: look, input, ...others } = row
  const { read, write, error, refused, ...rest } = others
  if (shown && !shown(values)) return null
  const value = values[row.name] ?? ''
  const onValue = (typed: Values[string]) => change({ [row.name]: typed })
  if (input) return input(row, value, onValue)
  if (kind === 'check')
    return <CheckField label={row.label} name={row.name} value={Boolean(value)} onValue={onValue} />
  if (kind === 'checks')
    return (
      <CheckList
        {...(look && { class: look })}
        {...{ legend: row.label, name: row.name, choices, fault }}
        chosen={value as readonly string[]}
        onChosen={onValue}
      />
    )
  const props = {
    ...rest,
    value: String(value),
    onValue,
    error: faultOf(row, form),
    hint: typeof hint === 'function' ? hint(values) : hint,
  }
  if (kind === 'select') return <SelectField {...props} choices={choices} />
  if (kind === 'area' || rows)
    return <TextArea {...props} {...(rows && { rows })} {...(inputRef && { inputRef })} />
  return <TextField {...props} {...(kind && kind !== 'list' && { type: kind })} />
}

type Fields = Readonly<Record<string, unknown>>
type Name = keyof typeof collections

interface RecordFormProps<C extends Name> {
  readonly collection: C
  readonly rows: readonly FormRow[]
  readonly record?: RecordOf<C> | undefined
  readonly blank?: Fields
  /** Converts the form's fields to the record's. `fields`: the changed ones, or all for a new record. */
  readonly prepare?: (fields: Fields, all: Fields) => Fields
  readonly saved?: string
  readonly onSaved?: (record: RecordOf<C>) => void
  readonly onTyped?: (all: Fields, isChanged: boolean) => void
  /** The draft's key; by default the collection and the record's id. */
  readonly draftKey?: string
  readonly asks?: boolean
  readonly isQuiet?: boolean
  readonly action?: string
  readonly onCancel?: (() => void) | undefined
  readonly children?: ComponentChildren
}

/** Creates or updates a record. An update sends only changed fields. */
export function RecordForm<C extends Name>({
  collection,
  record,
  blank,
  prepare = (fields) => fields,
  saved = '',
  onSaved,
  ...rest
}: RecordFormProps<C>) {
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: forms exist for any collection
  const schema: Schema = collections[collection]
  const rows = withSchema(rest.rows, schema)
  const save = async (changes: Fields, all: Fields) => {
    const records = pb.collection(collection)
    const made = record
      ? await records.update<RecordOf<C>>(record.id, prepare(changes, all))
      : await records.create<RecordOf<C>>({
          ...('user' in schema && { user: userId() }),
          ...prepare(all, all),
        })
    onSaved?.(made)
    return saved
  }
  return (
    <RowsForm
      {...rest}
      draftKey={rest.draftKey ?? `${collection}.${record?.id ?? 'new'}`}
      rows={rows}
      stored={record ?? blank ?? {}}
      save={save}
    />
  )
}
