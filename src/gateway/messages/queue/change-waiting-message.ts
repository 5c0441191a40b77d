import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../../engine/collections/catalog.ts'
import { INSTANT, INSTANT_OR_EMPTY } from '../../../engine/fields/date-schema.ts'
import { formatDate } from '../../../engine/fields/parse-date.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries, writeUnindexed } from '../../../platform/db/queries.ts'
import { MAX_TEXT_CHARACTERS } from '../../../portable/max-text-characters.ts'
import { countSegments } from '../../../portable/segments.ts'
import { checkShape, makeVisibleText } from '../../base/body-schemas.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import { isAllowed, type Permit, requirePermit } from '../../base/permissions.ts'
import { keepFileLinks } from '../send/file-links.ts'
import { checkExpiry, keepFutureDate, makeExpiryError } from '../send/message-expiry.ts'
import { COMMON } from '../send/send-body-schema.ts'
import {
  IS_OF_CAMPAIGN,
  makeCampaignError,
  toGatewayError,
  writeIsSeen,
} from '../send/sending-permission.ts'
import { checkTextLength } from '../send/write-text-bodies.ts'

/** A change of scheduled messages. Null keeps the present value. */
export interface WaitingMessageChange {
  /** A PocketBase date; '' for now. */
  readonly scheduledAt: string | null
  /** A PocketBase date; '' for never. */
  readonly expiresAt: string | null
  /** Expiry in seconds after the message is due. */
  readonly ttl: number | null
  readonly body: string | null
  readonly segments: number | null
  readonly priority: number | null
}

/** The parameters of the SQL functions sms_planned_change and sms_change after the ids of the messages. */
export function bindChangeTerms(permit: Permit, change: WaitingMessageChange) {
  const { sender } = permit
  const { scheduledAt, expiresAt, ttl, body, segments, priority } = change
  const { user, version, key, sentBy: by } = sender
  const changer = JSON.stringify({ user, version, key: key?.id, key_version: key?.version, by })
  return sql`${scheduledAt}, ${expiresAt}, ${ttl}::int, ${body}, ${segments}::float8, ${priority}::int,
    ${changer}::json, ${isAllowed(sender, 'cancel')}::bool`
}

/** Messages that the sender may see and that may be changed: they wait, and their text is not sealed. */
export const selectWaiting = (db: Db, { sender }: Permit) =>
  // not prepared: a plan made for few messages took seconds for a thousand
  queries(db, 'planned')
    .selectFrom('sms_messages as m')
    .innerJoin('sms_dispatch as d', 'd.message', 'm.id')
    .select('d.message')
    .where(writeUnindexed('m.user'), '=', sender.user)
    .where(writeUnindexed('d.user'), '=', sender.user)
    .where(writeIsSeen(sender))
    .where(sql<boolean>`m.status || '' = 'pending' and d.state || '' = 'pending'`)
    .where('d.due_at', '<', sql<Date>`'infinity'`)
    .where('d.sealed', 'is', null)

/** `refusal`: that of the judge, or `scope` for a caller who may not cancel. */
interface Verdict {
  readonly unfit: boolean
  readonly refusal: string | null
}

export interface Planned extends Verdict {
  readonly message: string
  readonly what: string
  readonly due: Date
  readonly ends: Date | null
  readonly next_priority: number
  readonly next_segments: number
}

/** The body of a request to change a message. Absent fields and `null` change nothing. */
export const MESSAGE_CHANGE = z
  .strictObject({
    scheduled_at: COMMON.scheduled_at,
    expires_at: COMMON.expires_at.describe(
      'The end: a message that no device has claimed by then ends as `failed`. Empty: no end. Excludes `ttl`.',
    ),
    ttl: COMMON.ttl,
    body: makeVisibleText()
      .nullish()
      .meta({ maxLength: MAX_TEXT_CHARACTERS, description: 'The text, in Unicode characters.' }),
    priority: COMMON.priority.describe('Higher goes first.'),
  })
  .meta({ id: 'MessageChange' })

/** A changed message in an answer, without the text, because API keys may not read messages. */
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

/** Parses a change. Throws 400 `invalid_request` for the first wrong field, or 400 `body_too_long`. */
export function readChange(raw: unknown, now: Date): WaitingMessageChange {
  const given = checkShape(MESSAGE_CHANGE, raw)
  const change = parseMessageChange(given, now)
  if (Object.values(change).every((part) => part === null))
    throw invalidRequest('scheduled_at, expires_at, ttl, body or priority must be given')
  return change
}

/** Reads dates as a send does: a past `scheduled_at` means now, and the expiry must be later than that. */
export function parseMessageChange(
  given: Partial<z.output<typeof MESSAGE_CHANGE>>,
  now: Date,
): WaitingMessageChange {
  const { scheduled_at, expires_at, ttl, body, priority } = given
  const scheduledAt = scheduled_at == null ? null : keepFutureDate(scheduled_at, now)
  checkExpiry({ ttl, expires_at }, scheduledAt || formatDate(now))
  return {
    scheduledAt,
    expiresAt: expires_at ?? null,
    ttl: ttl ?? null,
    ...measureText(body ?? null),
    priority: priority ?? null,
  }
}

/** A text and its size. Throws 400 `body_too_long`. */
function measureText(body: string | null): Pick<WaitingMessageChange, 'body' | 'segments'> {
  if (body === null) return { body, segments: null }
  checkTextLength(body)
  return { body, segments: countSegments(body).segments }
}

async function keepLinks(
  db: Db,
  permit: Permit,
  id: string,
  change: WaitingMessageChange,
): Promise<WaitingMessageChange> {
  if (change.body === null) return change
  const linked = await selectWaiting(db, permit)
    .select('m.body')
    .where('m.id', '=', id)
    .where('m.segments', '>', 0)
    .where(sql<boolean>`m.attachments <> '{}'`)
    .executeTakeFirst()
  return linked
    ? { ...change, ...measureText(keepFileLinks(id, linked.body, change.body)) }
    : change
}

/**
 * Changes a scheduled message. Idempotent. Throws 403, 404, 409, StaleAuth, 400 `invalid_request` or
 * `body_too_long`.
 */
export async function changeWaitingMessage(
  { db }: Store,
  permit: Permit,
  id: string,
  asked: WaitingMessageChange,
) {
  const change = await keepLinks(db, permit, id, asked)
  const waiting = selectWaiting(db, permit).where('m.id', '=', id).forUpdate(['d', 'm'])
  const changed = sql<Planned>`sms_change(array(${waiting}), ${bindChangeTerms(permit, change)}, 'change', ${id})`
  const found = await queries(db, 'planned')
    .selectFrom(changed.as('c'))
    .select(['unfit', 'refusal', 'next_priority as priority', 'next_segments as segments'])
    .select([
      sql<string>`pb_text(due)`.as('scheduled_at'),
      sql<string>`coalesce(pb_text(ends), '')`.as('expires_at'),
    ])
    .executeTakeFirst()
  if (!found) throw await explainNoChange(db, permit, id)
  const { unfit, refusal, ...message } = found
  throwChangeFault(permit, { unfit, refusal })
  return { id, status: 'pending', ...message }
}

export function throwChangeFault({ sender }: Permit, { unfit, refusal }: Verdict): void {
  if (refusal === 'scope') requirePermit(sender, 'cancel')
  if (refusal !== null) throw toGatewayError(sender, refusal)
  if (unfit) throw makeExpiryError()
}

async function explainNoChange(db: Db, { sender }: Permit, id: string): Promise<Error> {
  const found = await queries(db)
    .selectFrom('sms_messages as m')
    .select(sql<string>`case when ${IS_OF_CAMPAIGN} then m.sent_by else '' end`.as('campaign'))
    .where('m.id', '=', id)
    .where(writeUnindexed('m.user'), '=', sender.user)
    .where(writeIsSeen(sender))
    .executeTakeFirst()
  if (!found) return gatewayRefusal('message_not_found')
  return found.campaign ? makeCampaignError(found.campaign) : gatewayRefusal('not_changeable')
}
