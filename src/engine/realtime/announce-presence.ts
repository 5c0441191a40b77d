import { sql } from 'kysely'
import { z } from 'zod'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Holder } from '../../platform/limits/limit-holder.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import { CHANGES_CHANNEL } from './follow-changes.ts'

export const TOPIC = 'presence'

const STATES = ['reading', 'writing', ''] as const

/** Cost of a presence message. The rate limit for subscriptions allows 1,000 units, then 20 a second. */
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

/** Sends a person's presence to an account's clients with the topic `presence`. Throws 429 if too often. */
export async function announcePresence(
  db: Db,
  holder: Holder,
  { account, sender }: Readonly<Record<'account' | 'sender', string>>,
  { conversation, state }: z.output<typeof PRESENCE>,
): Promise<void> {
  admission.subscriptions.take(holder, UNITS)
  const name = sql`left(coalesce((select name from senders where id = ${sender}), ''), 100)`
  const data = sql`json_build_object(
    'conversation', ${conversation}::text, 'sender', ${sender}::text, 'name', ${name}, 'state', ${state}::text)`
  const presence = sql`json_build_object('account', ${account}::text, 'data', ${data})::text`
  await callFunction(db, '_announce', CHANGES_CHANNEL, presence)
}
