import type { Db } from '../../platform/db/open.ts'
import type { Permit } from '../base/permissions.ts'
import { auditAct } from '../messages/queue/audit-message-change.ts'
import type { CampaignServices } from './campaign.ts'

/** Runs a change of a campaign and audits it, in one transaction. Returns whether `work` changed it. */
export const inAuditedTransaction = (
  { store }: CampaignServices,
  permit: Permit,
  action: string,
  id: string,
  work: (db: Db) => Promise<boolean>,
): Promise<boolean> =>
  store.db.transaction(async (db) => {
    const isDone = await work(db)
    if (isDone) await auditAct(db, permit, 'campaigns', action, id)
    return isDone
  })
