import { signal } from '@preact/signals'
import { pb } from './client.ts'

/** A change that the screen shows, and that the records read from the server may not have yet. */
interface Change {
  readonly values: object
  /** The record's `updated` after the change; '' until the server has answered. */
  readonly madeAt: string
}

const changes = signal<ReadonlyMap<string, readonly Change[]>>(new Map())
/** The last request of each record: the server must make changes in the order of the person. */
const requests = new Map<string, Promise<unknown>>()
/** Events and reads of a change arrive within this time after its answer. */
const READ_MS = 10_000

/** Puts `now` in the place of `old`, or at the end. */
function replaceChange(id: string, old: Change | undefined, now: Change | undefined): void {
  const all = changes.value.get(id) ?? []
  const next = old ? all.map((each) => (each === old ? now : each)) : [...all, now]
  changes.value = new Map(changes.value).set(
    id,
    next.filter((each) => each !== undefined),
  )
}

/** A record with the changes on their way. A slow read may be older than a change that was made. */
export function applyChanges<R extends { id: string; updated: string } | undefined>(record: R): R {
  const later = (record && changes.value.get(record.id))?.filter(
    ({ madeAt }) => madeAt === '' || madeAt > record.updated,
  )
  return later?.length ? Object.assign({}, record, ...later.map(({ values }) => values)) : record
}

/**
 * Changes a record, and shows `values` at once. Takes them back and throws if the server refuses the change.
 * `sent`: what the server gets, if it is not `values`.
 */
export async function changeRecord(
  collection: string,
  id: string,
  values: object,
  sent = values,
): Promise<void> {
  const change: Change = { values, madeAt: '' }
  replaceChange(id, undefined, change)
  const request = (requests.get(id) ?? Promise.resolve()).then(() =>
    pb.collection(collection).update(id, sent),
  )
  requests.set(
    id,
    request.catch(() => {}),
  )
  try {
    const { updated } = await request
    const made = { ...change, madeAt: updated }
    replaceChange(id, change, made)
    setTimeout(() => replaceChange(id, made, undefined), READ_MS)
  } catch (error) {
    replaceChange(id, change, undefined)
    throw error
  }
}
