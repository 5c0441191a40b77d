import type { RecordModel } from 'pocketbase'
import { type ChosenFile, isStored, listFiles } from './chosen-files.ts'
import { useDraft } from './use-draft.ts'
import { useFiles } from './use-files.ts'

interface RecordFiles {
  /** Stored files that stay, then new ones. */
  readonly files: readonly ChosenFile[]
  readonly lost: readonly string[]
  readonly isChanged: boolean
  /** The members that a create or an update of the record adds to its fields. */
  readonly changes: Readonly<Record<string, unknown>>
  set(files: readonly ChosenFile[]): void
  /** Call it when the form was saved or canceled. */
  forget(): void
}

/** The files of the form of a record with `attachments`, kept with its draft `key`. */
export function useRecordFiles(
  key: string,
  record: (RecordModel & { readonly attachments: readonly string[] }) | undefined,
): RecordFiles {
  const stored = record?.attachments ?? []
  const kept = useDraft(`${key}.kept-files`, { names: stored })
  const added = useFiles(key)
  const { names } = kept.value
  const removed = stored.filter((name) => !names.includes(name))
  return {
    files: [...(record ? listFiles(record, names) : []), ...added.files],
    lost: added.lost,
    isChanged: removed.length + added.files.length > 0,
    changes: {
      ...(removed.length > 0 && { 'attachments-': removed }),
      ...(added.files.length > 0 && { 'attachments+': added.files }),
    },
    set(files) {
      kept.change({ names: files.filter(isStored).map(({ name }) => name) })
      added.set(files.filter((file) => !isStored(file)))
    },
    forget() {
      kept.discard()
      added.set([])
    },
  }
}
