import type { RecordModel } from 'pocketbase'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { t } from '../../language/words.ts'
import { pb } from '../client.ts'
import { type Fault, faultOf } from '../fault.ts'
import { useLive } from './use-live.ts'

/** One record that stays true. */
export interface Watched<T> {
  /** Undefined until it was read, and when it is gone. */
  readonly record: T | undefined
  readonly loading: boolean
  readonly fault: Fault | undefined
  reload(): Promise<void>
}

const GONE: Fault = { message: t('It was deleted.'), fields: {}, code: '', status: 404 }

/** A record by its id, live. A deleted one is a fault with status 404. */
export function useRecord<T extends RecordModel>(collection: string, id: string, expand = ''): Watched<T> {
  const [state, setState] = useState<{ record?: T; fault?: Fault }>({})
  const reload = useCallback(async () => {
    try {
      setState({ record: await pb.collection<T>(collection).getOne(id, expand ? { expand } : {}) })
    } catch (error) {
      setState({ fault: faultOf(error) })
    }
  }, [collection, id, expand])
  useEffect(() => {
    setState({})
    void reload()
  }, [reload])
  useLive<T>(
    collection,
    id,
    ({ action }) => (action === 'delete' ? setState({ fault: GONE }) : void reload()),
    () => void reload(),
  )
  return { record: state.record, loading: !state.record && !state.fault, fault: state.fault, reload }
}
