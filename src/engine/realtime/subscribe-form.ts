import { badRequest } from '../../platform/api-errors.ts'
import { checkFields, each, length, notLonger, required } from '../collections/checks.ts'
import { object, ShapeError, text, texts } from '../fields/json-shapes.ts'

interface SubscribeForm {
  clientId: string
  subscriptions: string[]
}

const FORM = object<SubscribeForm>({ clientId: text, subscriptions: texts })

const MAX_ID_BYTES = 255

const MAX_TOPICS = 1_000

const MAX_TOPIC_BYTES = 2_500

/** Reads a subscribe request. Throws 400. PocketBase: apis/realtime.go, realtimeSubscribeForm */
export function readSubscribeForm(
  values: Readonly<Record<string, unknown>>,
  isJson = false,
): SubscribeForm {
  const form = decode(values, isJson)
  const checks = {
    clientId: [required, length(1, MAX_ID_BYTES)],
    subscriptions: [notLonger(MAX_TOPICS), each(notLonger(MAX_TOPIC_BYTES))],
  }
  checkFields(form, checks, '')
  return form
}

function decode(values: Readonly<Record<string, unknown>>, isJson: boolean): SubscribeForm {
  try {
    return FORM.over(values, FORM.zero(), isJson)
  } catch (error) {
    throw error instanceof ShapeError ? badRequest() : error
  }
}
