import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { isOwnedBy } from '../../db/by-id.ts'
import { formatDate } from '../../fields/types/date.ts'
import { INSTANT, INSTANT_OR_EMPTY } from '../../fields/values/instant.ts'
import { COMMON, checkExpiry, expiresBeforeDue, future, MAX_CHARACTERS } from '../send/body.ts'
import { checkLength } from '../send/content.ts'
import { gatewayRefusal } from '../send/refusal.ts'
import { countSegments } from '../send/segments.ts'
import { checkShape, visibleText } from '../send/shape.ts'
import { type Change, changeParams, changeSql } from './change-sql.ts'

/** What the body of a change must look like; null counts as absent, and what is absent stays as it is. */
export const MESSAGE_CHANGE = z
  .strictObject({
    scheduled_at: COMMON.scheduled_at,
    expires_at: COMMON.expires_at.describe(
      'Not after this instant: what no device has taken by then ends as `failed`. Empty: without an end. Excludes `ttl`.',
    ),
    ttl: COMMON.ttl,
    body: visibleText()
      .nullish()
      .meta({ maxLength: MAX_CHARACTERS, description: 'The text, in Unicode characters.' }),
    priority: COMMON.priority.describe('Higher goes first.'),
  })
  .meta({ id: 'MessageChange' })

/** How such a message is now. Its text is not told: API keys read no messages. */
export type Changed = Readonly<z.output<typeof CHANGED>>
export const CHANGED = z
  .object({
    id: z.string(),
    status: z.literal('pending'),
    scheduled_at: INSTANT,
    expires_at: INSTANT_OR_EMPTY,
    priority: z.int(),
    segments: z.int().min(0),
  })
  .meta({ id: 'ChangedMessage' })

const CHANGE = changeSql(
  'm.id = $8 for update of d, m',
  `select unfit, pb_text(due), coalesce(pb_text(ends), ''), next_priority, next_segments from wanted`,
)

/** Reads a change. Throws 400 `invalid_request` for the first invalid field, then 400 `body_too_long`. */
export function readChange(raw: unknown, now: Date): Change {
  const given = checkShape(MESSAGE_CHANGE, raw)
  const change = changeOf(given, now)
  if (Object.values(change).every((part) => part === null))
    throw gatewayRefusal('invalid_request', 'scheduled_at, expires_at, ttl, body or priority must be given')
  if (change.body !== null) checkLength(change.body)
  return change
}

/** Dates as a send reads them: a time that is past means now, an end must come after it. */
export function changeOf(given: Partial<z.output<typeof MESSAGE_CHANGE>>, now: Date): Change {
  const { scheduled_at, expires_at, ttl, body, priority } = given
  const scheduledAt = scheduled_at == null ? null : future(scheduled_at, now)
  checkExpiry({ ttl, expires_at }, scheduledAt || formatDate(now))
  return {
    scheduledAt,
    expiresAt: expires_at ?? null,
    ttl: ttl ?? null,
    body: body ?? null,
    segments: body == null ? null : countSegments(body).segments,
    priority: priority ?? null,
  }
}

/** Changes a scheduled message. Repeatable. Throws 404, 409 `not_changeable`, 400 `invalid_request`. */
export async function changeMessage(
  { db }: Store,
  user: string,
  id: string,
  change: Change,
): Promise<Changed> {
  const { rows } = await db.query(CHANGE, [...changeParams(user, change), id])
  if (!rows[0]) throw await whyNot(db, user, id)
  const [unfit, scheduled_at, expires_at, priority, segments] = rows[0] as [
    ...[boolean, string, string, number, number],
  ]
  if (unfit) throw expiresBeforeDue()
  return { id, status: 'pending', scheduled_at, expires_at, priority, segments }
}

async function whyNot(db: Store['db'], user: string, id: string): Promise<Error> {
  const look = `select 1 from sms_messages m where id = $1 and ${isOwnedBy('m', '$2')}`
  const { rows } = await db.query(look, [id, user], 'sms changed message')
  return gatewayRefusal(rows[0] ? 'not_changeable' : 'message_not_found')
}
