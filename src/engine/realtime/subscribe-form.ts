import { badRequest } from '../../platform/api-errors.ts'
import { makeObjectShape, ShapeError, text, texts } from '../fields/json-shapes.ts'
import {
  checkEach,
  checkFields,
  checkLength,
  checkMaxLength,
  checkRequired,
} from '../fields/value-checks.ts'

interface SubscribeForm {
  clientId: string
  subscriptions: string[]
}

const FORM = makeObjectShape<SubscribeForm>({ clientId: text, subscriptions: texts })

const MAX_ID_BYTES = 255

const MAX_TOPICS = 1_000

const MAX_TOPIC_BYTES = 2_500

/** Reads a subscribe request. Throws 400. PocketBase: apis/realtime.go, realtimeSubscribeForm */
export function readSubscribeForm(
  values: Readonly<Record<string, unknown>>,
  isJson = false,
): SubscribeForm {
  const form = decodeForm(values, isJson)
  const checks = {
    clientId: [checkRequired, checkLength(1, MAX_ID_BYTES)],
    subscriptions: [checkMaxLength(MAX_TOPICS), checkEach(checkMaxLength(MAX_TOPIC_BYTES))],
  }
  checkFields(form, checks, '')
  return form
}

function decodeForm(values: Readonly<Record<string, unknown>>, isJson: boolean): SubscribeForm {
  try {
    return FORM.over(values, FORM.zero(), isJson)
  } catch (error) {
    throw error instanceof ShapeError ? badRequest() : error
  }
}
