import { matchAny } from '../../data/client.ts'
import type { Message } from '../../data/record-types.ts'
import { useOne } from '../../data/use/use-one.ts'

/** The batch id under which the failed messages were sent again; '' if they were not. */
export function useRetryBatch(items: readonly Message[]): string {
  const failed = items.filter(({ status }) => status === 'failed')
  const filter = matchAny(
    'client_ref',
    failed.map(({ id }) => `retry:${id}`),
  )
  const asked = failed.length > 0 ? `(${filter}) && batch_id != ""` : undefined
  const { record } = useOne<Message>('sms_messages', asked, { fields: 'id,batch_id', live: false })
  return record?.batch_id ?? ''
}
