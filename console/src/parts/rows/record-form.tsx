import type { ComponentChildren } from 'preact'
import { pb } from '../../data/client.ts'
import * as collections from '../../data/collections.ts'
import type { RecordOf } from '../../data/record-types.ts'
import { readUserId } from '../../data/session.ts'
import type { FormRow } from './form-row.ts'
import { addSchemaFacts, RowsForm } from './rows-form.tsx'
import type { Schema } from './values.ts'

type Fields = Readonly<Record<string, unknown>>
type Name = keyof typeof collections

interface RecordFormProps<C extends Name> {
  readonly collection: C
  readonly rows: readonly FormRow[]
  readonly record?: RecordOf<C>
  readonly blank?: Fields
  /** Converts the form's fields to the record's. `fields`: the changed ones, or all for a new record. */
  readonly prepare?: (fields: Fields, all: Fields) => Fields | Promise<Fields>
  readonly saved?: string
  readonly onSaved?: (record: RecordOf<C>) => void
  readonly onTyped?: (all: Fields, isChanged: boolean) => void
  /** The draft's key; by default the collection and the record's id. */
  readonly draftKey?: string
  readonly asks?: boolean
  readonly isQuiet?: boolean
  readonly action?: string
  readonly onCancel?: () => void
  /** Closes the form's dialog, after a save and after Cancel. */
  readonly onClose?: () => void
  readonly children?: ComponentChildren
}

/** Creates or updates a record. An update sends only changed fields. */
export function RecordForm<C extends Name>({
  collection,
  record,
  blank,
  prepare = (fields) => fields,
  saved = '',
  onClose,
  onSaved = onClose,
  onCancel = onClose,
  ...rest
}: RecordFormProps<C>) {
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: forms exist for any collection
  const schema: Schema = collections[collection]
  const rows = addSchemaFacts(rest.rows, schema)
  const save = async (changes: Fields, all: Fields) => {
    const records = pb.collection(collection)
    const made = record
      ? await records.update<RecordOf<C>>(record.id, await prepare(changes, all))
      : await records.create<RecordOf<C>>({
          ...('user' in schema && { user: readUserId() }),
          ...(await prepare(all, all)),
        })
    onSaved?.(made)
    return saved
  }
  return (
    <RowsForm
      {...rest}
      onCancel={onCancel}
      draftKey={rest.draftKey ?? `${collection}.${record?.id ?? 'new'}`}
      rows={rows}
      stored={record ?? blank ?? {}}
      save={save}
    />
  )
}
