import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Fault } from '../../data/fault.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Actions, Button, Form } from '../form/form.tsx'
import { showToast } from '../toast.tsx'
import { type FormRow, isList, listFields } from './form-row.ts'
import { findError, Rows } from './rows.tsx'
import { completeRow, makeStored, makeTyped, type Schema, type Values } from './values.ts'
export const addSchemaFacts = (rows: readonly FormRow[], schema: Schema): readonly FormRow[] =>
  rows.map((row) => {
    if (typeof row === 'function') return row
    if (isList(row)) return row.map((each) => completeRow(each, schema[each.name]))
    return 'folded' in row
      ? { ...row, folded: addSchemaFacts(row.folded, schema) }
      : completeRow(row, schema[row.name])
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
  readonly onCancel?: () => void
  /** Called at each change with the values to store, and whether they differ from the stored ones. */
  readonly onTyped?: (all: Stored, isChanged: boolean) => void
  /** Shows the form's buttons only while there are unsaved changes. */
  readonly isQuiet?: boolean
  /** Further buttons beside the save button. */
  readonly children?: ComponentChildren
}

/** A form of the fields `rows`. Keeps typed values when the page is left. Shows errors beside fields. */
export function RowsForm({
  draftKey,
  rows,
  stored,
  save,
  asks,
  action = t('Save'),
  ...rest
}: RowsFormProps) {
  const fields = listFields(rows)
  const secrets = fields.filter(({ kind }) => kind === 'password').map(({ name }) => name)
  const draft = useDraft<Values>(draftKey, makeTyped(fields, stored), {
    asks: asks ?? false,
    secrets,
  })
  const [isTried, setTried] = useState(false)
  const values = draft.value
  const [tried, setTriedValues] = useState(values)
  const work = useTask(async () => {
    const changes = makeStored(fields, draft.changes, values)
    const said = await save(changes, makeStored(fields, values))
    if (said === undefined) return
    draft.saved({ ...values, ...Object.fromEntries(secrets.map((name) => [name, ''])) })
    setTried(false)
    if (said) showToast(said)
    rest.onDone?.()
  })
  const { onTyped } = rest
  useEffect(() => onTyped?.(makeStored(fields, values), draft.isChanged), [values, draft.isChanged])
  const shown = fields.filter((row) => row.shown?.(values) ?? true)
  const submit = () => {
    setTried(true)
    setTriedValues(values)
    return shown.some((row) => findError(row, values)) || work.run()
  }
  const cancel = () => {
    draft.discard()
    rest.onCancel?.()
  }
  const named = shown.filter(({ kind }) => kind !== 'check')
  const fault = work.fault && leaveOutChanged(work.fault, tried, values)
  const told = Object.keys(fault?.fields ?? {}).filter((path) =>
    named.some(({ name }) => path === name || path.startsWith(`${name}.`)),
  )
  const form = { values, change: draft.change, fault, isTried }
  return (
    <Form onSubmit={submit} fault={fault} names={told}>
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

/** The server's error of a save, without those of fields that have another value since. */
function leaveOutChanged(fault: Fault, tried: Values, values: Values): Fault | undefined {
  const isChanged = (path: string) =>
    Object.keys(values).some(
      (name) => (path === name || path.startsWith(`${name}.`)) && values[name] !== tried[name],
    )
  const all = Object.entries(fault.fields)
  const left = all.filter(([path]) => !isChanged(path))
  return all.length > 0 && left.length === 0
    ? undefined
    : { ...fault, fields: Object.fromEntries(left) }
}
