import type { Message } from '../record-types.ts'
import type { Unsent } from './outbox.ts'

type Shown = Pick<Message, 'id' | 'message_type' | 'sent_by' | 'body' | 'created'>

/**
 * The texts on the way that the thread does not show. An event may bring a text before the answer to its
 * request, when its id is not known: it is then the sender's text of the same words, newer than the request.
 */
export function filterNotShown(
  onTheWay: readonly Unsent[],
  texts: readonly Shown[],
  notes: readonly { id: string }[],
  sender: string,
): readonly Unsent[] {
  const ids = new Set([...texts, ...notes].map(({ id }) => id))
  const taken = new Set(onTheWay.map(({ message }) => message))
  const isRead = ({ message, note, fault, request, after }: Unsent) => {
    if (message || note || fault) return ids.has(message ?? '')
    const own = texts.findLast(
      ({ id, message_type, sent_by, body, created }) =>
        !taken.has(id) &&
        message_type === 'outgoing' &&
        sent_by === sender &&
        body === request.body &&
        created > after,
    )
    taken.add(own?.id)
    return own !== undefined
  }
  return onTheWay.filter((text) => !isRead(text))
}
