import type { RecordModel } from 'pocketbase'
import { type List, type ListOptions, useList } from './use-list.ts'

/** The first record that matches the filter, live. Reads nothing while `filter` is undefined. */
export function useOne<T extends RecordModel>(
  collection: string,
  filter: string | undefined,
  options: Pick<ListOptions, 'fields' | 'live' | 'sort'> = {},
): Pick<List<T>, 'loading' | 'fault'> & { readonly record: T | undefined } {
  const ready = filter !== undefined
  const { items, loading, fault } = useList<T>(collection, { ...options, filter, ready, perPage: 1 })
  return { record: ready ? items[0] : undefined, loading, fault }
}
