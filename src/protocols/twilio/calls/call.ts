import type { Config } from '../../../config.ts'
import { readable, reasonOf } from '../../../webhooks/call-webhook.ts'
import type { DueDelivery } from '../../../webhooks/due.ts'
import type { OtherForms } from '../../../webhooks/other-forms.ts'
import { KEY_DELETED } from '../forget-keys.ts'
import { callForText } from './call-for-text.ts'
import { Caller, type CallServices } from './caller.ts'
import { incomingForm, statusForm } from './form.ts'
import { failed, type Outcome, outcomeOf, unanswered } from './outcome.ts'
import type { Form } from './signature.ts'

const STATUS_EVENT = 'message.status'

/** The key of the signatures, and how the device's `SmsUrl` is called. */
const SIGNING = `select k.signing, coalesce(n.sms_method, 'POST')
from api_keys k left join webhooks w on w.id = $3 left join twilio_numbers n on n.device = w.device
where k.id = $1 and k."user" || '' = $2 and k.signing <> ''`

/** Calls for status callbacks and incoming texts, whose answers may send replies. */
export const twilioCalls =
  (servicesOf: (user: string) => CallServices): OtherForms['call'] =>
  async (due, signal) => {
    const begun = performance.now()
    const outcome = await callOnce(servicesOf(due.user), due, signal)
    return { ...outcome, latencyMs: Math.round(performance.now() - begun) }
  }

async function callOnce(services: CallServices, due: DueDelivery, signal: AbortSignal): Promise<Outcome> {
  const { store, config } = services
  const { rows } = await store.db.query(SIGNING, [due.apiKey, due.user, due.webhook], 'twilio signing')
  if (!rows[0]) return failed(0, KEY_DELETED)
  const [signingKey, method] = rows[0] as [string, 'GET' | 'POST']
  const form = formOf(due, config.optWords)
  const caller = new Caller({ eventId: due.eventId, form, signingKey, config }, signal)
  const outcome = await (due.event === STATUS_EVENT
    ? callForStatus(caller, due)
    : callForText(services, caller, due, method))
  return { ...outcome, ...(caller.firstHeaders && { headers: caller.firstHeaders }) }
}

/** The body of a call, as it is shown to the webhook's user. */
export const twilioBody = (due: DueDelivery, words: Config['optWords']): string =>
  new URLSearchParams([...formOf(due, words)]).toString()

/** The parameters of a delivery in Twilio's form. */
const formOf = ({ event, image, user }: DueDelivery, words: Config['optWords']): Form =>
  event === STATUS_EVENT ? statusForm(image, user) : incomingForm(image, user, words)

async function callForStatus(caller: Caller, due: DueDelivery): Promise<Outcome> {
  try {
    const { status, body } = await caller.call(due.url, 'POST')
    return outcomeOf(status, readable(body.toString('utf8')))
  } catch (error) {
    if (caller.signal.aborted) throw error
    return unanswered(reasonOf(error))
  }
}
