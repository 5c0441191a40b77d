import { sql } from 'kysely'
import { LOCKS } from '../db/advisory-locks.ts'
import type { Db } from '../db/open.ts'
import { objectsOf, part, run, runForRow, statement, text } from '../db/statement.ts'

/** Maximum concurrent calls of all nodes together: per webhook, per user and per host. */
export const MAX_CALLS = { ofWebhook: 5, ofUser: 20, atHost: 100 } as const

/** SQL: maximum concurrent calls of a webhook. Callbacks without a webhook (`callbacks 7`) go one by one. */
const CALLS_OF_LANE = `case when d.webhook like 'callbacks%' then 1 else ${MAX_CALLS.ofWebhook} end`

/** SQL: host and port of a delivery's URL. A user name in the URL counts as part of the host. */
const hostOf = (row: string) =>
  `coalesce(lower(substring(coalesce(w.url, ${row}.target ->> 'url') from '^[A-Za-z]+://([^/?#]*)')), '')`

/** SQL: a text that sorts after all ids. A search continued from it skips a user's remaining webhooks. */
const AFTER_ALL = 'chr(1114111)'

/**
 * Leases at most `$1` due deliveries, first of the users with the fewest running calls, and of each user
 * first those of such webhooks. Steps through an index from webhook to webhook, so a long queue costs no
 * more. `place`, `turn` and `at_host` number the calls of a webhook, a user and a host.
 */
export const NEXT_DELIVERIES = `
with recursive held as materialized (
  select b."user", b.webhook, ${hostOf('b')} as host from webhook_dispatch b left join webhooks w on w.id = b.webhook
  where b.handed_at is not null
), users as materialized (
  select "user", count(*) as calls from held group by "user"
), hooks as (
  (select d."user", d.webhook from webhook_dispatch d where d.handed_at is null order by d."user", d.webhook limit 1)
  union all
  select n."user", n.webhook from hooks h cross join lateral (
    select d."user", d.webhook from webhook_dispatch d
    where d.handed_at is null and (d."user", d.webhook) > (h."user", case
      when h."user" in (select "user" from users where calls >= ${MAX_CALLS.ofUser}) then ${AFTER_ALL}
      else h.webhook end)
    order by d."user", d.webhook limit 1
  ) n
), due as (
  select h."user", h.webhook, n.delivery, n.due_at, n.target, row_number() over (
    partition by h."user", h.webhook order by n.due_at) as number
  from hooks h cross join lateral (
    select d.delivery, d.due_at, d.target from webhook_dispatch d
    where d."user" = h."user" and d.webhook = h.webhook and d.handed_at is null and d.due_at <= now()
    order by d.due_at limit ${MAX_CALLS.ofWebhook}
  ) n
), placed as (
  select d.*, coalesce(c.calls, 0) + d.number as place
  from due d left join (
    select "user", webhook, count(*) as calls from held group by "user", webhook
  ) c on c."user" = d."user" and c.webhook = d.webhook
), by_user as (
  select d.*, coalesce(u.calls, 0) + row_number() over (partition by d."user" order by d.place, d.due_at) as turn
  from placed d left join users u on u."user" = d."user"
  where d.place <= ${CALLS_OF_LANE}
), hosted as (
  select d.*, ${hostOf('d')} as host from by_user d left join webhooks w on w.id = d.webhook
  where d.turn <= ${MAX_CALLS.ofUser}
), by_host as (
  select d.*, coalesce(o.calls, 0) + row_number() over (partition by d.host order by d.turn, d.due_at) as at_host
  from hosted d left join (select host, count(*) as calls from held group by host) o on o.host = d.host
)
update webhook_dispatch set handed_at = statement_timestamp() -- now() is older by the wait for the lock
where delivery = any(array(
  select d.delivery from webhook_dispatch d
  where d.handed_at is null and d.delivery = any(array(
    select delivery from by_host where at_host <= ${MAX_CALLS.atHost} order by turn, due_at limit $1
  ))
  for update skip locked
))
returning delivery, extract(epoch from handed_at)::text as since`

/** The channel that wakes workers when deliveries are due. Its notifications are empty. */
export const CHANNEL = 'pocketsms_webhooks'
/** Wakes workers at the commit. */
export const WAKE = sql<string>`_announce(${sql.lit(CHANNEL)}, '')`

/** The right of a node to make one attempt of a delivery. */
export interface Lease {
  readonly delivery: string
  /** When the lease was taken, in seconds since 1970. Identifies the lease. */
  readonly since: string
}

/** Ends leases older than 30 s, which is longer than any attempt takes: their nodes have died. */
const END_EXPIRED = statement('webhook expired', { isQueued: 'boolean' })`
with expired as (
  update webhook_dispatch set handed_at = null where delivery = any(array(
    select delivery from webhook_dispatch where handed_at < now() - interval '30 seconds' for update skip locked
  ))
)
select exists (select from webhook_dispatch) as "isQueued"`

/** Ends the leases of nodes that died. Returns whether the queue has deliveries. */
export const endExpiredLeases = async (db: Db): Promise<boolean> =>
  (await runForRow(db, END_EXPIRED, {}))!.isQueued

/**
 * Leases at most `limit` due deliveries. This fixes their order, so lease only what can start immediately.
 */
export function leaseDeliveries(db: Db, limit: number): Promise<Lease[]> {
  return db.transaction(async (inside) => {
    await inside.query('select pg_advisory_xact_lock($1)', [LOCKS.webhookLease], 'webhook turns lock')
    return objectsOf(await inside.query(NEXT_DELIVERIES, [limit], 'webhook turns'))
  })
}

/** SQL: whether the row still has the lease that was taken at `since`. */
export const IS_LEASED = part`extract(epoch from handed_at)::text = ${text('since')}::text`

const END = statement('webhook end lease', {})`
update webhook_dispatch set handed_at = null where delivery = ${text('delivery')} and ${IS_LEASED}`

/**
 * Ends a lease, so the delivery can be leased again. If it expired and another node has one, does nothing.
 */
export const endLease = async (db: Db, lease: Lease): Promise<void> => void (await run(db, END, lease))

/** Ends all leases in a copied or restored database. The nodes that hold them use the original database. */
export const endAllLeases = (db: Db) =>
  db.query('update webhook_dispatch set handed_at = null where handed_at is not null')

const LAG = statement('webhook lag', {
  /** Deliveries that are not over: to be tried now, or later. */
  pending: 'number',
  /** Seconds that the oldest due delivery has waited; 0 if none is due. */
  oldestSeconds: 'number',
})`
select count(*) as pending, coalesce(greatest(0, extract(epoch from now() - min(due_at))), 0)::float8 as "oldestSeconds"
from webhook_dispatch`

/** Counts unfinished deliveries: 10,000 take 2 ms. */
export const webhookLag = async ({ db }: { readonly db: Db }) => (await runForRow(db, LAG, {}))!
