import { signal } from '@preact/signals'

/** The paths of records whose deletion waits for Undo or has been sent. */
const waiting = signal<ReadonlySet<string>>(new Set())

/** The path of a record. */
export const makeRecordPath = (collection: string, id: string) =>
  `/api/collections/${collection}/records/${id}`

/** Whether the record's deletion waits for Undo or has been sent. */
export const isDeleting = (path: string): boolean => waiting.value.has(path)

export function setDeleting(path: string, isWaiting: boolean): void {
  const next = new Set(waiting.value)
  if (isWaiting) next.add(path)
  else next.delete(path)
  waiting.value = next
}
