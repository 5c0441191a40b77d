import { pb } from '../../data/client.ts'
import type { Message } from '../../data/record-types.ts'
import { useOne } from '../../data/use/use-list.ts'

export function useRetry(message: Message | undefined): Message | undefined {
  const isFailed = message?.status === 'failed' && message.message_type === 'outgoing'
  const filter = isFailed
    ? pb.filter('client_ref = {:ref}', { ref: `${RETRY}${message.id}` })
    : undefined
  return useOne<Message>('sms_messages', filter, { live: false }).record
}

export const RETRY = 'retry:'
