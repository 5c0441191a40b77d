import { useEffect, useRef, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { session } from '../../data/session.ts'
import { listen } from '../../data/use/shared-subscription.ts'

type State = 'reading' | 'writing' | ''

interface Told {
  readonly conversation: string
  readonly sender: string
  readonly name: string
  readonly state: State
}

interface Other extends Told {
  /** When it was told, in milliseconds. */
  readonly at: number
}

/** At most one message about typing in this time. */
const WRITING_MS = 2_500
/** Without another message for this time somebody has stopped typing. */
const TYPES_MS = 6_000
/** The same for somebody who has left without a word. */
const STAYS_MS = 50_000
const REPEAT_MS = 20_000
const SWEEP_MS = 2_000

/** Who else reads or writes in a conversation, and the way to tell that this user does. */
export interface Presence {
  readonly others: readonly Told[]
  /** Call it for each letter with the whole text; '' is its end. */
  write(text: string): void
}

/** `conversation` undefined: nothing is told or heard. */
export function usePresence(conversation: string | undefined): Presence {
  const [others, setOthers] = useState<readonly Other[]>([])
  const written = useRef(0)
  const tell = (state: State) => {
    const body = { conversation, state }
    // who reads is good to know, and nothing more: what fails is told with the next letter or repeat
    pb.send('/api/account/presence', { method: 'POST', body, keepalive: true }).catch(() => {})
  }
  useEffect(() => {
    if (!conversation) return
    const known = new Map<string, Other>()
    const show = () => setOthers([...known.values()])
    const read = () => tell(document.visibilityState === 'visible' ? 'reading' : '')
    const topic = listen<Told>('presence', (told) => {
      if (told.conversation !== conversation || told.sender === session.value?.sender) return
      const isNew = !known.has(told.sender)
      if (told.state === '') known.delete(told.sender)
      else known.set(told.sender, { ...told, at: Date.now() })
      show()
      // somebody who has just come does not know yet who is here
      if (isNew && told.state !== '') read()
    })
    topic.subscribed.then(read, () => {})
    const sweep = setInterval(() => {
      for (const [sender, other] of known) {
        const ms = Date.now() - other.at
        if (ms > STAYS_MS) known.delete(sender)
        else if (ms > TYPES_MS && other.state === 'writing') known.set(sender, { ...other, state: 'reading' })
        else continue
        show()
      }
    }, SWEEP_MS)
    const repeat = setInterval(() => document.visibilityState === 'visible' && read(), REPEAT_MS)
    const leave = () => tell('')
    document.addEventListener('visibilitychange', read)
    addEventListener('pagehide', leave)
    return () => {
      topic.leave()
      clearInterval(sweep)
      clearInterval(repeat)
      document.removeEventListener('visibilitychange', read)
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
