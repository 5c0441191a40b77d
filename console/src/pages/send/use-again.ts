import { pb } from '../../data/client.ts'
import type { Message } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'

/** The batch id under which the failed messages were sent again; '' if they were not. */
export function useAgain(items: readonly Message[]): string {
  const failed = items.filter(({ status }) => status === 'failed')
  const filter = failed.map(({ id }) => pb.filter('client_ref = {:ref}', { ref: `retry:${id}` })).join(' || ')
  const found = useList<Message>('sms_messages', {
    filter: `(${filter}) && batch_id != ""`,
    fields: 'id,batch_id',
    perPage: 1,
    live: false,
    ready: failed.length > 0,
  })
  return failed.length > 0 ? (found.items[0]?.batch_id ?? '') : ''
}
