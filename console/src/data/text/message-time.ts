import type { Message } from '../records.ts'

/** When a text came in on its phone, was sent, or is to be sent: not when the server heard of it. */
export const timeOf = ({
  message_type,
  created,
  delivered_at,
  scheduled_at,
}: Pick<Message, 'message_type' | 'created' | 'delivered_at' | 'scheduled_at'>): string => {
  if (message_type === 'incoming') return delivered_at || created
  return scheduled_at > created ? scheduled_at : created
}
