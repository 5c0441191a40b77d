import type { Logger } from '../../log.ts'
import { Semaphore } from '../../tools/semaphore.ts'
import { advance } from './advance.ts'
import { type CampaignServices, updateCampaigns } from './campaign.ts'

/** Campaigns that are stored or steered at a time on this node; accounts take turns. */
const PLACES = 4
/** A campaign that is not settled after this was left by a node that is gone, or could not go on. */
const LEFT_BEHIND = `interval '5 seconds'`
/** Campaigns that a sweep takes at once; the rest is for the next tick. */
const MAX_CAMPAIGNS = 20

const UNSETTLED = `
select id, "user" from campaigns where not settled and updated < pb_text(now() - ${LEFT_BEHIND})
order by updated limit ${MAX_CAMPAIGNS}`

const UNDER_WAY = `
select id from campaigns where status = 'sending' and id > $1 order by id limit ${MAX_CAMPAIGNS}`

const IS_OVER = `status = 'sending' and settled and not exists (
  select from sms_messages m where m.batch_id = any(array(select json_array_elements_text(campaigns.batches)))
    and m.batch_id <> '' and m.status || '' in ('pending', 'assigned', 'sending'))`

/** Brings campaigns forward, for routes and by the clock. One instance a process. */
export class CampaignRunner {
  readonly services: CampaignServices
  readonly #log: Logger
  readonly #running = new Map<string, Promise<void>>()
  readonly #places = new Semaphore(PLACES)
  readonly #stopping = new AbortController()
  #lastChecked = ''

  constructor(services: CampaignServices, log: Logger) {
    this.services = services
    this.#log = log
  }

  /** Makes the messages of a campaign as its record says. Throws when the database fails. */
  readonly settle = async (id: string, user: string): Promise<void> => {
    // it may have read the record before its last change
    await this.#running.get(id)?.catch(() => {})
    const known = this.#running.get(id)
    if (known) return known
    const run = this.#places
      .run(() => advance(this.services, id, this.#stopping.signal), user)
      .finally(() => this.#running.delete(id))
    this.#running.set(id, run)
    return run
  }

  /** The same in the background: what fails is tried again by the sweep. */
  start(id: string, user: string): void {
    this.settle(id, user).catch((err) => this.#log.error({ err, campaign: id }, 'a campaign could not go on'))
  }

  /** What time does to campaigns: they begin, end, and go on where a node was killed. */
  async sweep(): Promise<void> {
    const { db } = this.services.store
    await updateCampaigns(
      db,
      `status = 'sending'`,
      `status = 'scheduled' and settled and scheduled_at <= pb_text(now())`,
      [],
    )
    const left = await db.query(UNSETTLED)
    for (const [id, user] of left.rows) this.start(String(id), String(user))
    const { rows } = await db.query(UNDER_WAY, [this.#lastChecked])
    const ids = rows.map(([id]) => String(id))
    this.#lastChecked = ids.at(-1) ?? ''
    if (ids.length > 0)
      await updateCampaigns(db, `status = 'done'`, `id = any($1::text[]) and ${IS_OVER}`, [ids])
  }

  /** Ends what runs between two chunks; another node, or the next start, goes on. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled(this.#running.values())
  }
}
