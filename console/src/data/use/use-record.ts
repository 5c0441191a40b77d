import type { RecordModel } from 'pocketbase'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { t } from '../../language/words.ts'
import { pb } from '../client.ts'
import { type Fault, readFaultOfRead } from '../fault.ts'
import { useLatest } from './use-latest.ts'
import { useLive } from './use-live.ts'
import { useReadAgain } from './use-read-again.ts'

export interface Watched<T> {
  /** Undefined until the record is read, and after its deletion. */
  readonly record: T | undefined
  readonly loading: boolean
  /** The error of the last read. Status 404 means that the record was deleted or may not be read. */
  readonly fault: Fault | undefined
  reload(): Promise<void>
}

interface State<T> {
  readonly record?: T
  readonly fault?: Fault
}

const GONE: Fault = { message: t('It was deleted.'), fields: {}, code: '', status: 404 }

/**
 * Reads a record by its id, and again whenever it changes. If it was deleted, `fault` has the status 404.
 * After other errors, `record` stays as it was last read.
 */
export function useRecord<T extends RecordModel>(
  collection: string,
  id: string,
  expand = '',
): Watched<T> {
  const [state, setState] = useState<State<T>>({})
  const begin = useLatest()
  const reload = useCallback(async () => {
    const isLatest = begin()
    const put = (change: (old: State<T>) => State<T>) => isLatest() && setState(change)
    try {
      const record = await pb.collection<T>(collection).getOne(id, expand ? { expand } : {})
      put(() => ({ record }))
    } catch (error) {
      const fault = readFaultOfRead(error)
      put(({ record }) => (fault.status === 404 ? { fault } : { record, fault }))
    }
  }, [collection, id, expand])
  const remove = () => {
    begin()
    setState({ fault: GONE })
  }
  useEffect(() => {
    setState({})
    void reload()
    return () => void begin()
  }, [reload])
  useLive<T>(
    collection,
    id,
    ({ action }) => (action === 'delete' ? remove() : void reload()),
    () => void reload(),
  )
  const { record, fault } = state
  useReadAgain(fault?.isInBanner === true, reload)
  return { record, loading: !record && (!fault || fault.isInBanner === true), fault, reload }
}
