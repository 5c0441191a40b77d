import type { ComponentChildren } from 'preact'
import { pb } from '../../data/client.ts'
import * as collections from '../../data/collections.ts'
import type { RecordOf } from '../../data/records.ts'
import { userId } from '../../data/session.ts'
import { type FormRow, withSchema } from './rows.ts'
import { RowsForm } from './rows-form.tsx'
import type { Schema } from './values.ts'

type Name = keyof typeof collections
type Stored = Readonly<Record<string, unknown>>

interface RecordFormProps<C extends Name> {
  readonly collection: C
  readonly rows: readonly FormRow[]
  /** The record to change; without one, a new one is made. */
  readonly record?: RecordOf<C> | undefined
  /** Initial values of a new record. */
  readonly blank?: Stored
  /** Converts the form's changed fields, and all its fields, to the record's. */
  readonly prepare?: (fields: Stored, all: Stored) => Stored
  /** The message after saving. */
  readonly saved?: string
  readonly onSaved?: (record: RecordOf<C>) => void
  readonly onTyped?: (all: Stored, isChanged: boolean) => void
  /** The draft's key, if it is not the record's id. */
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
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: any of them may be asked for
  const schema: Schema = collections[collection]
  const rows = withSchema(rest.rows, schema)
  const save = async (changes: Stored, all: Stored) => {
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
