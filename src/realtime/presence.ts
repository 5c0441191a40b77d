import { z } from 'zod'
import { admission } from '../admission/admission.ts'
import type { Holder } from '../admission/holder.ts'
import { USERS_ID } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { CHANGES_CHANNEL } from './changes/feed.ts'
import type { ClientRegistry } from './clients/client-registry.ts'

const TOPIC = 'presence'
const STATES = ['reading', 'writing', ''] as const
/** Cost in units of the subscription rate: an account may send 1,000 at once, then 20 a second. */
const UNITS = 100

export const PRESENCE = z
  .strictObject({
    conversation: z
      .string()
      .regex(/^[\w-]{1,50}$/)
      .describe('The id of the conversation.'),
    state: z.enum(STATES).describe('`reading`, `writing`, or empty for neither.'),
  })
  .meta({ id: 'Presence' })

/** The name is cut to 100 characters, at most 600 bytes of JSON, as a NOTIFY holds 8,000 bytes. */
const TELL = `
select _announce($1, json_build_object('account', $2::text, 'data', json_build_object(
  'conversation', $4::text, 'sender', $3::text, 'name', left(coalesce((select name from senders where id = $3), ''), 100),
  'state', $5::text))::text)`

/** Notifies all clients of an account, on all nodes, of a person's presence. Not stored. Throws 429. */
export async function tellPresence(
  db: Db,
  holder: Holder,
  { account, sender }: { readonly account: string; readonly sender: string },
  { conversation, state }: z.output<typeof PRESENCE>,
): Promise<void> {
  admission.subscriptions.take(holder, UNITS)
  await db.query(TELL, [CHANGES_CHANNEL, account, sender, conversation, state], 'tell presence')
}

export function tellAccount({ index }: Pick<ClientRegistry, 'index'>, message: string): void {
  const { account, data } = JSON.parse(message) as { account: string; data: object }
  const text = JSON.stringify(data)
  for (const client of index.clientsOf(TOPIC, USERS_ID, account)) client.send(TOPIC, text)
}
