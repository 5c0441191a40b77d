import { useState } from 'preact/hooks'
import { matchAny, pb } from '../../data/client.ts'
import type { Conversation, Message } from '../../data/record-types.ts'
import { useLookup } from '../../data/use/use-known.ts'
import { useLive } from '../../data/use/use-live.ts'

/** Returns a function that finds a conversation's last text, live, by its id. */
export function useLastTexts(
  conversations: readonly Conversation[],
): (message: string) => Message | undefined {
  const [connection, setConnection] = useState(0)
  const { get, change } = useLookup(
    conversations.map(({ last_message }) => last_message),
    readLastTexts,
    connection, // read again after each connection, before which changes are missed
  )
  useLive<Message>(
    'sms_messages',
    '*',
    ({ record }) => change(record.id, (old) => ({ ...old, ...record, expand: old.expand })),
    () => setConnection((last) => last + 1),
  )
  return get
}

async function readLastTexts(ids: readonly string[]): Promise<(readonly [string, Message])[]> {
  const { items } = await pb.collection<Message>('sms_messages').getList(1, ids.length, {
    filter: matchAny('id', ids),
    fields:
      'id,message_type,status,waiting_for,segments,scheduled_at,delivered_at,created,attachments,expand.sent_by.kind,expand.sent_by.name',
    expand: 'sent_by',
    skipTotal: true,
  })
  return items.map((text) => [text.id, text])
}
