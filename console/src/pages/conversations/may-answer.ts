import { useRef } from 'preact/hooks'
import type { Conversation, Message } from '../../data/record-types.ts'
import { session } from '../../data/session.ts'
import { findAnsweredMeanwhile } from '../../data/team/answered-meanwhile.ts'
import type { People } from '../../data/team/people.ts'
import { t } from '../../language/words.ts'
import { askToConfirm } from '../../parts/dialog/dialog.tsx'

interface Seen {
  /** The conversation's texts, newest first; undefined until they are loaded. */
  readonly texts: readonly Message[] | undefined
  readonly conversation: Conversation | undefined
  readonly people: People
  /** The name of a colleague who is writing in the conversation. */
  readonly writer: string | undefined
}

/**
 * Returns a function to call before sending. If another member has answered since the user began to type, or
 * is writing an answer, it asks the user, and returns false if the user declines.
 */
export function useMayAnswer(
  { texts, conversation, people, writer }: Seen,
  isTyping: boolean,
): () => Promise<boolean> {
  const since = useRef<string>(undefined)
  if (!isTyping) since.current = undefined
  else since.current ??= texts && findNewest(texts[0]?.created, conversation?.last_at)
  return async () => {
    const begun = since.current
    const theirs =
      begun === undefined
        ? undefined
        : findAnsweredMeanwhile(texts ?? [], conversation, {
            begun,
            me: session.value?.sender ?? '',
            findName: people.findName,
          })
    if (!theirs) return !writer || askAboutWriter(writer)
    const sure = await askToConfirm({
      title: t('{name} has answered meanwhile', { name: theirs.name }),
      text: theirs.text,
      ...CHOICES,
    })
    // do not ask again about an answer that the user has seen
    if (sure) since.current = theirs.at
    return sure
  }
}

const CHOICES = { action: t('Send anyway'), keep: t('Not yet'), careful: true } as const

const askAboutWriter = (name: string): Promise<boolean> =>
  askToConfirm({
    title: t('{name} is writing an answer', { name }),
    text: t('If you both send, the person gets two answers.'),
    ...CHOICES,
  })

const findNewest = (one = '', other = '') => (one > other ? one : other)
