import { checkFields, each, length, notLonger, required } from '../../collections/checks/checks.ts'
import { object, ShapeError, text, texts } from '../../collections/definition/decode.ts'
import { badRequest } from '../../errors.ts'

/** What a client sends to subscribe. */
export interface SubscribeForm {
  clientId: string
  subscriptions: string[]
}

const FORM = object<SubscribeForm>({ clientId: text, subscriptions: texts })
const MAX_ID_BYTES = 255
const MAX_TOPICS = 1_000
const MAX_TOPIC_BYTES = 2_500

/**
 * Reads a subscription from the values of a body. Throws 400, with the fields that are missing or too long.
 * PocketBase: apis/realtime.go, realtimeSubscribeForm
 */
export function readSubscribeForm(values: Readonly<Record<string, unknown>>): SubscribeForm {
  const form = decode(values)
  const checks = {
    clientId: [required, length(1, MAX_ID_BYTES)],
    subscriptions: [notLonger(MAX_TOPICS), each(notLonger(MAX_TOPIC_BYTES))],
  }
  checkFields(form, checks, '')
  return form
}

function decode(values: Readonly<Record<string, unknown>>): SubscribeForm {
  try {
    return FORM.over(values, FORM.zero())
  } catch (error) {
    throw error instanceof ShapeError ? badRequest() : error
  }
}
