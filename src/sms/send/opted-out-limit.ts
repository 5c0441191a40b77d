import { admission } from '../../admission/admission.ts'
import type { Store } from '../../collections/catalog.ts'
import { gatewayRefusal } from './refusal.ts'

/** Webhook calls that the opted-out recipients of one send may cause: all are stored in one transaction. */
const MAX_CALLS = 1_000
/** Sends to fewer recipients are not counted: they cost about what an ordinary send does. */
const MIN_RECIPIENTS = 20

const COUNT = `select
  (select count(*) from contacts where "user" = $1 and opted_out and phone = any($2::text[])),
  (select count(*) from webhooks where "user" = $1 and enabled and 'message.failed' = any(events))`

/**
 * Charges a user for opted-out recipients, once for each webhook call that they cause. Throws 429 after too
 * many, 400 if one send would cause too many calls.
 */
export async function chargeOptedOut(
  { db }: Pick<Store, 'db'>,
  user: string,
  phones: readonly string[],
): Promise<void> {
  if (phones.length < MIN_RECIPIENTS) return
  admission.optedOut.take(user, 0)
  const { rows } = await db.query(COUNT, [user, phones], 'sms opted out of send')
  const [optedOut, webhooks] = rows[0]!.map(Number) as [number, number]
  if (optedOut * webhooks > MAX_CALLS) throw tooManyCalls(optedOut, webhooks)
  if (optedOut > 0) admission.optedOut.charge(user, optedOut * Math.max(webhooks, 1))
}

const tooManyCalls = (optedOut: number, webhooks: number) =>
  gatewayRefusal(
    'invalid_request',
    `${optedOut} recipients have opted out, and each causes ${webhooks} webhook calls. ` +
      `One send may cause ${MAX_CALLS}: leave them out, or send to fewer at once.`,
  )
