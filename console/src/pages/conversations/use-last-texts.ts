import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Conversation, Message } from '../../data/record-types.ts'
import { useLookup } from '../../data/use/use-known.ts'
import { useLive } from '../../data/use/use-live.ts'

/** Returns a function that finds a conversation's last text, live, by its id. */
export function useLastTexts(
  conversations: readonly Conversation[],
): (message: string) => Message | undefined {
  const [connection, setConnection] = useState(0)
  const [changed, setChanged] = useState<ReadonlyMap<string, Message>>(new Map())
  // read again after each connection, before which changes are missed
  const keyOf = (id: string) => `${id} ${connection}`
  const read = useLookup(
    conversations.flatMap(({ last_message: id }) => (id ? [keyOf(id)] : [])),
    (keys) => readLastTexts(keys.map((key) => key.split(' ')[0]!)).then(withKeys(keyOf)),
  )
  useLive<Message>(
    'sms_messages',
    '*',
    ({ record }) => read(keyOf(record.id)) && setChanged((old) => new Map(old).set(record.id, record)),
    () => {
      setChanged(new Map())
      setConnection((last) => last + 1)
    },
  )
  return (id) => {
    const text = read(keyOf(id)) ?? read(`${id} ${connection - 1}`)
    return text && { ...text, ...changed.get(id), expand: text.expand }
  }
}

const withKeys = (keyOf: (id: string) => string) => (texts: readonly Message[]) =>
  texts.map((text) => [keyOf(text.id), text] as const)

async function readLastTexts(ids: readonly string[]): Promise<readonly Message[]> {
  const { items } = await pb.collection<Message>('sms_messages').getList(1, ids.length, {
    filter: ids.map((id) => pb.filter('id = {:id}', { id })).join(' || '),
    fields:
      'id,message_type,status,scheduled_at,delivered_at,created,expand.sent_by.kind,expand.sent_by.name',
    expand: 'sent_by',
    skipTotal: true,
  })
  return items
}
