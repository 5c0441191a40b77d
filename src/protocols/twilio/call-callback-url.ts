import { sql } from 'kysely'
import { toDate } from '../../engine/fields/parse-date.ts'
import type { OtherForms } from '../../gateway/webhooks/call-webhook.ts'
import type { DueDelivery } from '../../gateway/webhooks/load-delivery.ts'
import { maskAnswer, readErrorReason } from '../../gateway/webhooks/mask-answer.ts'
import { TEST_EVENT } from '../../gateway/webhooks/send-test-event.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries, writeUnindexed } from '../../platform/db/queries.ts'
import type { ResponseHead } from '../../platform/outgoing/send-request.ts'
import { sendAnswerReplies } from './answer-replies.ts'
import { KEY_DELETED } from './api-keys.ts'
import { makeCallbackForm, STATUS_EVENT } from './callback-form.ts'
import { type CallServices, makeUrlCaller, type UrlCaller } from './make-url-caller.ts'
import {
  classifyAnswer,
  isSuccessStatus,
  makeFailedOutcome,
  makeUnansweredOutcome,
  NO_SUCCESS,
  type Outcome,
} from './webhook-outcome.ts'

/**
 * The key to sign with, and the method of the `SmsUrl`. After a rotation of the API key, the old secret signs
 * until the new one is used.
 */
const findSigningKey = (db: Db, { webhook, apiKey, user }: DueDelivery) =>
  queries(db)
    .selectFrom('api_keys as k')
    .leftJoin('webhooks as w', (join) => join.on('w.id', '=', webhook))
    .leftJoin('twilio_numbers as n', 'n.device', 'w.device')
    .select([
      sql<string>`case when k.previous_until > pb_text(now()) and k.last_used_prefix <> k.prefix
        then k.previous_signing else k.signing end`.as('signing'),
      sql<'GET' | 'POST'>`coalesce(n.sms_method, 'POST')`.as('method'),
    ])
    .where('k.id', '=', apiKey)
    .where(writeUnindexed('k.user'), '=', user)
    .where('k.signing', '<>', '')
    .executeTakeFirst()

/** Makes webhook calls in Twilio's form for statuses and incoming texts. Their answers may have replies. */
export const makeTwilioCaller =
  (servicesOf: (user: string) => CallServices): OtherForms['call'] =>
  async (due, signal) => {
    const begun = performance.now()
    const outcome = await callUrlOnce(servicesOf(due.user), due, signal)
    return { ...outcome, latencyMs: Math.round(performance.now() - begun) }
  }

async function callUrlOnce(
  services: CallServices,
  due: DueDelivery,
  signal: AbortSignal,
): Promise<Outcome> {
  const { store, config } = services
  const signing = await findSigningKey(store.db, due)
  if (!signing) return makeFailedOutcome(0, KEY_DELETED)
  const { signing: signingKey, method } = signing
  const caller = makeUrlCaller(
    due,
    await makeCallbackForm(services, due),
    signingKey,
    config,
    signal,
  )
  const outcome = await callAndClassify(services, caller, due, method)
  return { ...outcome, ...(caller.firstHeaders && { headers: caller.firstHeaders }) }
}

/** Replies are sent only until this long after the incoming text was received. */
const MAX_AGE_MS = 3_600_000

/** Calls the address. For an incoming text, sends the replies in the answer. */
async function callAndClassify(
  services: CallServices,
  caller: UrlCaller,
  due: DueDelivery,
  method: 'GET' | 'POST',
): Promise<Outcome> {
  const isText = due.event !== STATUS_EVENT
  let answer: ResponseHead
  try {
    answer = await caller.call(due.url, isText ? method : 'POST')
  } catch (error) {
    if (caller.signal.aborted) throw error
    return makeUnansweredOutcome(`${isText ? `${NO_SUCCESS} ` : ''}${readErrorReason(error)}`)
  }
  const { status, body } = answer
  if (isText && !isSuccessStatus(status))
    return classifyAnswer(status, `${NO_SUCCESS} The address answered ${status}`)
  const receivedMs = toDate(String(due.image.created))?.getTime() ?? 0
  const mayReply = isText && due.event !== TEST_EVENT && Date.now() - receivedMs < MAX_AGE_MS
  const error = mayReply ? await sendAnswerReplies(services, caller, due, answer) : undefined
  if (error) return makeFailedOutcome(status, `${error.code} ${error.message}`)
  return classifyAnswer(status, maskAnswer(body, due.url))
}
