import { useEffect, useRef } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { keepNotifications, notifications } from '../data/notifications/browser.ts'
import type { Conversation } from '../data/records.ts'
import { useLive } from '../data/use/use-live.ts'

/** Keeps notifications of a user as chosen. Where the browser has no push, open tabs notify while hidden. */
export function Notifier({ user }: { user: string }) {
  useEffect(() => void keepNotifications(user).catch(() => {}), [user])
  const { user: chosen, endpoint } = notifications.value
  return chosen === user && endpoint === '' ? <TabNotifier /> : null
}

/** Has the service worker show texts that come in while this tab is hidden. */
function TabNotifier() {
  /** When the newest conversation that is known was last written to; undefined until it is read. */
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
      if (document.hidden && record.last_type === 'incoming' && record.unread > 0) void notify(record)
    },
    () => void readLatest().catch(() => {}), // the next text tries again
  )
  return null
}

const MAX_TEXT = 120

async function notify({ id, number, name, last_text, unread }: Conversation): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration('./')
  const text = [...last_text].slice(0, MAX_TEXT).join('')
  registration?.active?.postMessage({ conversation: id, number, name, text, unread })
}
