import { pb } from '../../data/client.ts'
import type { Message } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'

export function useRetry(message: Message | undefined): Message | undefined {
  const isFailed = message?.status === 'failed' && message.message_type === 'outgoing'
  const filter = pb.filter('client_ref = {:ref}', { ref: `retry:${message?.id}` })
  const found = useList<Message>('sms_messages', { filter, perPage: 1, live: false, ready: isFailed })
  return isFailed ? found.items[0] : undefined
}

export const RETRY = 'retry:'
