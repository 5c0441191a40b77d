import { useEffect, useRef } from 'preact/hooks'
import { cutToCharacters } from '#portable/cut-text.ts'
import { pb } from '../data/client.ts'
import { notifications, renewNotifications } from '../data/notifications/browser.ts'
import type { Conversation } from '../data/record-types.ts'
import type { Session } from '../data/session.ts'
import {
  isNotifiedAbout,
  isNotifiedNow,
  usePersonalChoices,
} from '../data/team/personal-choices.ts'
import { useLive } from '../data/use/use-live.ts'

/** Renews the push subscription if notifications are on. Without push, hidden tabs notify instead. */
export function Notifier({ session }: { session: Session }) {
  const user = session.person.id
  useEffect(() => void renewNotifications(user).catch(() => {}), [user])
  const { user: chosen, endpoint } = notifications.value
  return chosen === user && endpoint === '' ? <TabNotifier session={session} /> : null
}

function TabNotifier({ session }: { session: Session }) {
  const choices = usePersonalChoices(session)
  const notify = choices?.notify || 'all'
  /** The time of the newest known text; undefined until the first read. */
  const latest = useRef<string | undefined>(undefined)
  const readLatest = async () => {
    const { items } = await pb
      .collection<Conversation>('conversations')
      .getList(1, 1, { sort: '-last_at', fields: 'last_at', skipTotal: true })
    latest.current = items[0]?.last_at ?? ''
  }
  useLive<Conversation>(
    'conversations',
    '*',
    ({ record }) => {
      if (latest.current === undefined || record.last_at <= latest.current) return
      latest.current = record.last_at
      const isNew = record.last_type === 'incoming' && record.unread > 0
      const isWanted = isNotifiedAbout(record, notify, session) && isNotifiedNow(choices)
      if (document.hidden && isNew && isWanted) void showNews(record, choices?.notify_silent)
    },
    () => void readLatest().catch(() => {}), // the next reconnection reads again
  )
  return null
}

const MAX_TEXT = 120

async function showNews(
  { id, number, name, last_text, unread }: Conversation,
  silent = false,
): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration('./')
  const text = cutToCharacters(last_text, MAX_TEXT)
  registration?.active?.postMessage({ conversation: id, number, name, text, unread, silent })
}
