import { makeNotAllowed } from '../../engine/records/check-rules.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { MAX_OF_AGENT } from '../../portable/agent-send-limit.ts'
import { findSettings } from '../base/find-settings.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import type { Sender } from '../base/make-sender.ts'
import { makeCountError, type Permit, requirePermit } from '../base/permissions.ts'
import type { NewCampaign } from './campaign-body.ts'

/** The permit for a new campaign: a list needs less than other audiences. Throws 403. */
export const requireAudiencePermit = (sender: Sender, { list, reminder }: NewCampaign): Permit =>
  requirePermit(sender, reminder ? 'reminder' : list ? 'list' : 'campaign')

/** Throws 400 `too_many_recipients` for a list with more rows than an agent may text. */
export async function checkAgentRows(db: Db, { role, user }: Sender, rows: number): Promise<void> {
  if (role !== 'agent' || rows <= MAX_OF_AGENT) return
  const settings = await findSettings(db, user, 'agent_list_rows')
  const max = settings?.agent_list_rows || MAX_OF_AGENT
  if (rows > max) throw makeCountError(max)
}

/**
 * Throws 403 if an API key or an agent asks for a campaign that others have made. Agents read all.
 */
export async function requireOwnCampaign(
  db: Db,
  { user, key, role, sentBy }: Sender,
  id: string,
  isRead = false,
): Promise<void> {
  if (!key && (isRead || role !== 'agent')) return
  const campaign = await queries(db)
    .selectFrom('campaigns')
    .select('made_by')
    .where('id', '=', id)
    .where('user', '=', user)
    .executeTakeFirst()
  if (campaign?.made_by === sentBy) return
  if (key) throw gatewayRefusal('forbidden', 'An API key has only the campaigns that it made')
  throw campaign ? makeNotAllowed('agent') : gatewayRefusal('campaign_not_found')
}
