import { readTextEffect } from '../../gateway/consent/read-text-effect.ts'
import type { DueDelivery } from '../../gateway/webhooks/load-delivery.ts'
import type { CallServices } from './make-url-caller.ts'
import { makeMediaPath } from './media.ts'
import { API_VERSION, makeSid } from './sids.ts'
import type { Form } from './sign-request.ts'
import { toTwilioState } from './twilio-status.ts'

export const STATUS_EVENT = 'message.status'

/** The body of a call, as it is shown to the webhook's user. */
export const writeTwilioBody = async (services: CallServices, due: DueDelivery): Promise<string> =>
  new URLSearchParams([...(await makeCallbackForm(services, due))]).toString()

export const makeCallbackForm = async (services: CallServices, due: DueDelivery): Promise<Form> =>
  due.event === STATUS_EVENT ? makeStatusForm(due.image, due.user) : makeIncomingForm(services, due)

/** A message's row as an event left it, with its device's number (`device_phone`) and origin (`origin`). */
type Image = Readonly<Record<string, unknown>>

const readImageText = (image: Image, name: string) => String(image[name] ?? '')

const listCommonPairs = (image: Image, user: string): [string, string][] => [
  ['AccountSid', makeSid('AC', user)],
  ['ApiVersion', API_VERSION],
  ['To', readImageText(image, 'to')],
  ...['MessageSid', 'SmsSid'].map((name): [string, string] => [
    name,
    makeSid('SM', readImageText(image, 'id')),
  ]),
]

/** A status callback's parameters, without empty ones: some parsers drop those, breaking the signature. */
function makeStatusForm(image: Image, user: string): Form {
  const { status, errorCode } = toTwilioState(image as Parameters<typeof toTwilioState>[0], '')
  const pairs: [string, string][] = [
    ...listCommonPairs(image, user),
    ['From', readImageText(image, 'from') || readImageText(image, 'device_phone')],
    ['MessageStatus', status],
    ['SmsStatus', status],
    ['ErrorCode', errorCode === null ? '' : String(errorCode)],
    ['ErrorMessage', errorCode === null ? '' : readImageText(image, 'error_message')],
    [
      'MessagingServiceSid',
      (image.origin as { service?: boolean }).service ? makeSid('MG', user) : '',
    ],
  ]
  return new Map(pairs.filter(([, value]) => value !== ''))
}

/** The parameters of the call for an incoming text. `Body` is sent even when it is empty. */
async function makeIncomingForm(
  services: CallServices,
  { image, user, files }: DueDelivery,
): Promise<Form> {
  const pairs: [string, string][] = [
    ...listCommonPairs(image, user),
    ['Body', readImageText(image, 'body')],
    ['From', readImageText(image, 'from')],
    ['SmsMessageSid', makeSid('SM', readImageText(image, 'id'))],
    ['NumMedia', String(files.length)],
    ['NumSegments', String(Number(image.segments ?? 1))],
    ['SmsStatus', 'received'],
    ['OptOutType', await findOptOutType(services, user, image)],
    ...files.flatMap(({ name, type }, i): [string, string][] => [
      [
        `MediaUrl${i}`,
        services.config.publicUrl + makeMediaPath(user, readImageText(image, 'id'), name),
      ],
      [`MediaContentType${i}`, type],
    ]),
  ]
  return new Map(pairs.filter(([name, value]) => name === 'Body' || value !== ''))
}

/** Twilio: "Twilio support for opt-out keywords" */
const findOptOutType = ({ store, config }: CallServices, user: string, image: Image) =>
  readTextEffect(store, user, config.optWords, {
    body: readImageText(image, 'body'),
    subject: readImageText(image, 'subject'),
  })
