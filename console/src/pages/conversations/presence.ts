import { useEffect, useRef, useState } from 'preact/hooks'
import { postRequest } from '../../data/client.ts'
import { session } from '../../data/session.ts'
import { listenToTopic } from '../../data/use/shared-subscription.ts'

type State = 'reading' | 'writing' | ''

interface PresenceMessage {
  readonly conversation: string
  readonly sender: string
  readonly name: string
  readonly state: State
}

interface Other extends PresenceMessage {
  /** When the last report of this person's state arrived, in ms since 1970. */
  readonly at: number
}

/** The browser reports the user's typing at most once in this time. */
const WRITING_MS = 2_500
/** A person counts as typing for this time after their last report of typing. */
const TYPES_MS = 6_000
/** A person who reports nothing for this time counts as absent. */
const STAYS_MS = 50_000
const REPEAT_MS = 20_000
const SWEEP_MS = 2_000

/** Who else reads or writes in a conversation, and a function that reports this user's typing. */
interface Presence {
  readonly others: readonly PresenceMessage[]
  /** Call it with the whole text after each change; '' ends typing. */
  write(text: string): void
}

/** Returns a function that finds the name of another person who writes in a conversation. */
export function useWriters(ready: boolean): (conversation: string) => string | undefined {
  const [writers, setWriters] = useState<readonly PresenceMessage[]>([])
  useEffect(() => {
    if (!ready) return
    const topic = listenToTopic<PresenceMessage>('presence', (message) => {
      const { conversation, sender, state } = message
      if (sender === session.value?.sender) return
      const isSame = (each: PresenceMessage) =>
        each.conversation === conversation && each.sender === sender
      setWriters((all) => [
        ...all.filter((each) => !isSame(each)),
        ...(state === 'writing' ? [message] : []),
      ])
      setTimeout(() => setWriters((all) => all.filter((each) => each !== message)), TYPES_MS)
    })
    topic.subscribed.catch(() => {})
    return topic.leave
  }, [ready])
  return (conversation) => writers.find((each) => each.conversation === conversation)?.name
}

/**
 * Reports that this user reads or types in a conversation, and follows who else does. Does nothing if
 * `conversation` is undefined.
 */
export function usePresence(conversation: string | undefined): Presence {
  const [others, setOthers] = useState<readonly Other[]>([])
  const written = useRef(0)
  const me = session.value?.sender
  const tell = (state: State) => {
    // after a sign-out or a change of account, the server has already removed this person
    if (!me || session.peek()?.sender !== me || session.peek()?.isVisit) return
    const body = { conversation, state }
    // a failure does not matter: reports are repeated, and without them a state ends by itself
    postRequest('/api/account/presence', body, { keepalive: true }).catch(() => {})
  }
  useEffect(() => {
    if (!conversation) return
    const known = new Map<string, Other>()
    const show = () => setOthers([...known.values()])
    const tellState = () => {
      const isWriting = Date.now() - written.current < TYPES_MS
      tell(document.hidden ? '' : isWriting ? 'writing' : 'reading')
    }
    const topic = listenToTopic<PresenceMessage>('presence', (message) => {
      if (message.conversation !== conversation || message.sender === session.value?.sender) return
      const isNew = !known.has(message.sender)
      if (message.state === '') known.delete(message.sender)
      else known.set(message.sender, { ...message, at: Date.now() })
      show()
      // answer a newcomer, who does not know yet who else reads
      if (isNew && message.state !== '') tellState()
    })
    topic.subscribed.then(tellState, () => {})
    const sweep = setInterval(() => {
      for (const [sender, other] of known) {
        const ms = Date.now() - other.at
        if (ms > STAYS_MS) known.delete(sender)
        else if (ms > TYPES_MS && other.state === 'writing')
          known.set(sender, { ...other, state: 'reading' })
        else continue
        show()
      }
    }, SWEEP_MS)
    const repeat = setInterval(() => !document.hidden && tellState(), REPEAT_MS)
    const leave = () => tell('')
    document.addEventListener('visibilitychange', tellState)
    addEventListener('pagehide', leave)
    return () => {
      topic.leave()
      clearInterval(sweep)
      clearInterval(repeat)
      document.removeEventListener('visibilitychange', tellState)
      removeEventListener('pagehide', leave)
      leave()
      setOthers([])
    }
  }, [conversation])
  return {
    others,
    write(text) {
      const isLong = Date.now() - written.current > WRITING_MS
      if (!conversation || (text !== '' && !isLong)) return
      written.current = text === '' ? 0 : Date.now()
      tell(text === '' ? 'reading' : 'writing')
    },
  }
}
