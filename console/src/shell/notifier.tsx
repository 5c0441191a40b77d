import { useEffect, useRef } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { keepNotifications, notifications } from '../data/notifications/browser.ts'
import type { Conversation } from '../data/records.ts'
import type { Session } from '../data/session.ts'
import { isFor, useNotify } from '../data/team/notify.ts'
import { useLive } from '../data/use/use-live.ts'

/** Keeps notifications as the person chose. Without push in the browser, open tabs notify while hidden. */
export function Notifier({ session }: { session: Session }) {
  const user = session.person.id
  useEffect(() => void keepNotifications(user).catch(() => {}), [user])
  const { user: chosen, endpoint } = notifications.value
  return chosen === user && endpoint === '' ? <TabNotifier session={session} /> : null
}

/** Makes the service worker notify of incoming texts while this tab is hidden. */
function TabNotifier({ session }: { session: Session }) {
  const notify = useNotify(session)
  /** The time of the newest known text; undefined until it is read. */
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
      if (document.hidden && isNew && isFor(record, notify, session)) void show(record)
    },
    () => void readLatest().catch(() => {}), // the next text tries again
  )
  return null
}

const MAX_TEXT = 120

async function show({ id, number, name, last_text, unread }: Conversation): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration('./')
  const text = [...last_text].slice(0, MAX_TEXT).join('')
  registration?.active?.postMessage({ conversation: id, number, name, text, unread })
}
