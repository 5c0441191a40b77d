import { matchAny, pb } from '../client.ts'
import type { Message, Sender } from '../record-types.ts'
import { useLookup } from '../use/use-known.ts'
import { isCanceledMessage } from '../words/message-states.ts'
import { isPerson } from './people.ts'

/** The senders who have canceled texts, by the ids of the texts. */
export async function readCancelers(
  ids: readonly string[],
): Promise<(readonly [string, Sender])[]> {
  const { items } = await pb.collection('sms_events').getList(1, ids.length, {
    filter: `status = "failed" && changed_by != "" && (${matchAny('message', ids)})`,
    expand: 'changed_by',
    fields: 'message,expand.changed_by.id,expand.changed_by.kind,expand.changed_by.name',
    skipTotal: true,
  })
  return items.flatMap(({ message, expand }) =>
    expand?.changed_by ? [[message, expand.changed_by] as const] : [],
  )
}

/** Returns a function that finds the name of the person who has canceled the text of another; '' if none. */
export function useCancelers(
  texts: readonly Message[],
  hasTeam: boolean,
): (text: Message) => string {
  const canceled = hasTeam ? texts.filter(isCanceledMessage) : []
  const { get } = useLookup(
    canceled.map(({ id }) => id),
    readCancelers,
  )
  return ({ id, sent_by }) => {
    const canceler = get(id)
    return canceler && isPerson(canceler) && canceler.id !== sent_by ? canceler.name : ''
  }
}
