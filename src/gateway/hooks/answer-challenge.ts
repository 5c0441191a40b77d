import { badRequest } from '../../platform/api-errors.ts'
import { isObject } from '../../platform/tools/json.ts'

/** How to answer a service that checks a hook's address before its first event. */
export interface Handshake {
  /** The body of the answer: plain text, or JSON. */
  readonly answer?: string | object
  /** An address to request, by which the service learns that its events are wanted. */
  readonly confirm?: string
  readonly note: string
}

/** Microsoft Graph and SharePoint; Meta, Strava and WebSub; Dropbox and Adobe */
const QUERIES = ['validationToken', 'validationtoken', 'hub.challenge', 'challenge']

/** The text that a service expects back if it checks the address by its query; else undefined. */
export const findChallenge = (query: Readonly<Record<string, string>>): string | undefined =>
  QUERIES.map((name) => query[name]).find((value) => value)

const EVENT_GRID = 'Microsoft.EventGrid.SubscriptionValidationEvent'
const SNS = /^https:\/\/sns\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?\/\?/

/** The handshake in a body; undefined for an event. Throws 400 for an address that is not of AWS. */
export function readHandshake(body: unknown): Handshake | undefined {
  const one: unknown = Array.isArray(body) ? body[0] : body
  if (!isObject(one)) return undefined
  const { challenge, type, Type, SubscribeURL, eventType, data } = one
  const note = 'A service checked the address.'
  if (typeof challenge === 'string') {
    // https://dev.twitch.tv/docs/eventsub/handling-webhook-events
    if (isObject(one.subscription)) return { answer: challenge, note }
    // https://docs.slack.dev/reference/events/url_verification, Lark; monday.com sends nothing else
    const isAlone = type === 'url_verification' || Object.keys(one).length === 1
    return isAlone ? { answer: { challenge }, note } : undefined
  }
  // https://learn.microsoft.com/azure/event-grid/end-point-validation-event-grid-events-schema
  if (eventType === EVENT_GRID && isObject(data))
    return { answer: { validationResponse: String(data.validationCode) }, note }
  // https://docs.aws.amazon.com/sns/latest/dg/http-subscription-confirmation-json.html
  if (Type !== 'SubscriptionConfirmation') return undefined
  if (typeof SubscribeURL !== 'string' || !SNS.test(SubscribeURL))
    throw badRequest('The SubscribeURL is not an address of AWS SNS.')
  return {
    confirm: SubscribeURL,
    note: `AWS SNS asked to confirm ${String(one.TopicArn).slice(0, 200)}.`,
  }
}
