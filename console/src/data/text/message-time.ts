import type { Message } from '../records.ts'

/** When a phone received or sent a text, or will send it; the server may have stored it at another time. */
export const timeOf = ({
  message_type,
  created,
  delivered_at,
  scheduled_at,
}: Pick<Message, 'message_type' | 'created' | 'delivered_at' | 'scheduled_at'>): string => {
  if (message_type === 'incoming') return delivered_at || created
  return scheduled_at > created ? scheduled_at : created
}
