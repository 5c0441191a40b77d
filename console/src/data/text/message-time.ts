import type { Message } from '../records.ts'

/** The time to show: when the phone received the text or, if outgoing, when it was created or is due. */
export const timeOf = ({
  message_type,
  created,
  delivered_at,
  scheduled_at,
}: Pick<Message, 'message_type' | 'created' | 'delivered_at' | 'scheduled_at'>): string => {
  if (message_type === 'incoming') return delivered_at || created
  return scheduled_at > created ? scheduled_at : created
}
