import type { Conversation, Message } from '../record-types.ts'
import { isCanceledMessage } from '../words/message-states.ts'

type SeenText = Pick<Message, 'created' | 'body' | 'status' | 'error_message'> & {
  readonly expand?: {
    readonly sent_by?: { readonly id: string; readonly kind: string; readonly name: string }
  }
}
type SeenConversation = Pick<
  Conversation,
  'last_type' | 'last_sender' | 'last_at' | 'last_text' | 'failure'
>

export interface Answered {
  readonly name: string
  readonly text: string
  /** When the answer was sent; later ones are new. */
  readonly at: string
}

const PERSONS: readonly string[] = ['owner', 'member']

/**
 * The answer that another person has sent since `begun`. It is in the thread or in the list,
 * whichever is updated first. A canceled text is none. `texts`: those of the thread, newest first. `me`: the
 * sender who is writing.
 */
export function findAnsweredMeanwhile(
  texts: readonly SeenText[],
  conversation: SeenConversation | undefined,
  { begun, me, findName }: { begun: string; me: string; findName: (sender: string) => string },
): Answered | undefined {
  const theirs = texts.find((text) => {
    const sender = text.expand?.sent_by
    const isOfOther = sender && PERSONS.includes(sender.kind) && sender.id !== me
    return text.created > begun && isOfOther && !isCanceledMessage(text)
  })
  if (theirs)
    return { name: theirs.expand?.sent_by?.name ?? '', text: theirs.body, at: theirs.created }
  const {
    last_type,
    last_sender = '',
    last_at = '',
    last_text = '',
    failure = '',
  } = conversation ?? {}
  const name = last_sender === me ? '' : findName(last_sender)
  const isCanceled = isCanceledMessage({ status: 'failed', error_message: failure })
  const isNew = last_type === 'outgoing' && last_at > begun && name !== '' && !isCanceled
  return isNew ? { name, text: last_text, at: last_at } : undefined
}
