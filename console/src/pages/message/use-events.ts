import { useEffect } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Message, MessageEvent } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'

const MOST_EVENTS = 200

/** The events of a message, read again when the message changes: each event comes with such a change. */
export function useEvents(id: string, message: Message | undefined): readonly MessageEvent[] {
  const events = useList<MessageEvent>('sms_events', {
    filter: pb.filter('message = {:id}', { id }),
    sort: 'created,@rowid',
    expand: 'device',
    perPage: MOST_EVENTS,
    live: false,
    ready: message !== undefined,
  })
  const version = message && `${message.updated} ${message.status} ${message.device}`
  useEffect(() => {
    if (version) void events.reload()
  }, [version])
  return events.items
}
