import { sql } from 'kysely'
import { z } from 'zod'
import { INSTANT, INSTANT_OR_EMPTY } from '../../engine/fields/date-schema.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { LAST_LEAVES_AT } from '../messages/send/preview-send.ts'

const STATUSES = [
  'scheduled',
  'repeating',
  'sending',
  'paused',
  'canceled',
  'done',
  'failed',
] as const
export type CampaignStatus = (typeof STATUSES)[number]

/** Whether a campaign has ended: no further text of it is made. */
export const isOver = (status: CampaignStatus): boolean =>
  status === 'done' || status === 'canceled' || status === 'failed'

export const CAMPAIGN_STATE = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(STATUSES),
    scheduled_at: INSTANT,
    expires_at: INSTANT_OR_EMPTY,
    batch_id: z.string(),
    revision: z.int().min(1),
    recipients_count: z.int().min(0),
    segments: z.int().min(0).describe('Segments of all texts together.'),
    error: z.string(),
    last_leaves_at: INSTANT_OR_EMPTY.describe(LAST_LEAVES_AT),
  })
  .meta({ id: 'CampaignState' })
export type CampaignState = Readonly<z.output<typeof CAMPAIGN_STATE>>

/** The state of a user's campaign. Throws 404 `campaign_not_found`, also for another user's campaign. */
export async function loadCampaignState(db: Db, user: string, id: string): Promise<CampaignState> {
  const lastLeavesAt = sql<string>`case when status in ('scheduled', 'sending') then coalesce(
    pb_text(sms_last_leaves_at("user", greatest(now(), nullif(scheduled_at, '')::timestamptz),
      case status when 'scheduled' then recipients_count::int else 0 end, device, line)), '') else '' end`
  const state = await queries(db)
    .selectFrom('campaigns')
    .select(['id', 'name', 'status', 'scheduled_at', 'expires_at', 'batch_id', 'revision'])
    .select(['recipients_count', 'segments', 'error', lastLeavesAt.as('last_leaves_at')])
    .where('id', '=', id)
    .where('user', '=', user)
    .executeTakeFirst()
  if (!state) throw gatewayRefusal('campaign_not_found')
  return state
}
