import type { Message } from '../records.ts'

/** The time to show for a message: when the phone received it, or when it was or will be sent. */
export const timeOf = ({
  message_type,
  created,
  delivered_at,
  scheduled_at,
}: Pick<Message, 'message_type' | 'created' | 'delivered_at' | 'scheduled_at'>): string => {
  if (message_type === 'incoming') return delivered_at || created
  return scheduled_at > created ? scheduled_at : created
}
