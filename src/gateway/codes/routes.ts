import { isIP } from 'node:net'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import type { Ctx } from '../../http/request-context.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { readTypedCode } from '../../portable/typed-code.ts'
import { checkShape, makeIdSchema, makeWholeNumber } from '../base/body-schemas.ts'
import { describeRefusals } from '../base/describe-gateway-errors.ts'
import { makePhoneError, type RefusalCode } from '../base/gateway-errors.ts'
import { readNumber } from '../base/read-numbers.ts'
import { allowSender, type SendingCaller } from '../messages/require-sender.ts'
import { checkVerification, endVerification } from './check-code.ts'
import { startVerification } from './start-verification.ts'
import { VERIFICATION } from './verification-schemas.ts'

const MAX_BODY_BYTES = 64 << 10

const makeOptionalId = () => makeIdSchema(100).nullish()
const makePatternSchema = (pattern: RegExp, error: string) =>
  z.string('must be a text').regex(pattern, error)
const makePhoneSchema = () =>
  z
    .string('must be a text')
    .describe('A phone number. Without a calling code, it is one of the account’s `country`.')
const makeServiceSchema = () =>
  makeOptionalId().describe(
    'A record of `verify_services`. Default: the account’s oldest service; services that API keys made come last.',
  )

const START = z
  .strictObject({
    to: makePhoneSchema(),
    channel: z.literal('sms', 'must be sms').nullish(),
    service: makeServiceSchema(),
    template: makeOptionalId().describe(
      'A record of `sms_templates` with `{{code}}`, instead of the text of the service.',
    ),
    length: makeWholeNumber(4, 10)
      .nullish()
      .describe('Digits of the code. Default: that of the service.'),
    ttl: makeWholeNumber(60, 86_400)
      .nullish()
      .describe('Seconds until the code expires. Default: that of the service.'),
    locale: makePatternSchema(
      /^[a-zA-Z]{2,3}([-_][a-zA-Z0-9]{2,8})*$/,
      'must be a language, for example de-AT',
    )
      .nullish()
      .describe('The language of the text.'),
    origin: makePatternSchema(
      /^(https:\/\/)?[a-z0-9-]+(\.[a-z0-9-]+)*$/,
      'must be a domain, for example example.com',
    )
      .max(108)
      .nullish()
      .describe(
        'The domain of the page that reads the code by WebOTP: the last line names both. Excludes `app_hash`.',
      ),
    app_hash: makePatternSchema(/^[A-Za-z0-9+/]{11}$/, 'must be the 11 characters of an app')
      .nullish()
      .describe(
        "The hash of the Android app that reads the code by Play's SMS Retriever: the last line.",
      ),
    ip: z
      .string('must be a text')
      .refine((text) => isIP(text) !== 0, 'must be an IP address')
      .nullish()
      .describe(
        'The address of the person who asked for the code: `code_max_per_network` limits the codes of its network.',
      ),
  })
  .meta({ id: 'VerificationStart' })

const NAMED = {
  id: makeOptionalId().describe('A verification. Excludes `to`.'),
  to: makePhoneSchema().nullish().describe('The last verification of this number. Excludes `id`.'),
  service: makeServiceSchema(),
}
const CHECK = z
  .strictObject({
    ...NAMED,
    code: z
      .string('must be a text')
      .describe(
        'As the person typed or pasted it: blanks, hyphens and words around it do not matter.',
      )
      .transform(readTypedCode)
      .pipe(z.string().min(1).max(20)),
  })
  .meta({ id: 'VerificationCheck' })
const CANCEL = z.strictObject(NAMED).meta({ id: 'VerificationCancel' })

const readCodeJson = (c: Ctx) => readJsonBody(c)

function readStart(raw: unknown) {
  const { to, service, template, length, ttl, locale, origin, app_hash, ip } = checkShape(
    START,
    raw,
  )
  if (origin && app_hash) throw invalidRequest('origin and app_hash exclude each other')
  return {
    to,
    service: service ?? '',
    templateId: template ?? '',
    length: length ?? 0,
    ttl: ttl ?? 0,
    locale: (locale ?? '').replaceAll('_', '-'),
    domain: (origin ?? '').replace('https://', ''),
    appHash: app_hash ?? '',
    ip: ip ?? '',
  }
}

/** The number in E.164. Throws 400 `invalid_phone_number`. */
async function readTargetNumber(store: Store, user: string, to: string): Promise<string> {
  const number = await readNumber(store, user, to)
  if (number === undefined) throw makePhoneError(to)
  return number
}

async function parseCancelTarget(
  { store, user }: SendingCaller,
  { id, to, service }: z.output<typeof CANCEL>,
) {
  if (!id === !to) throw invalidRequest('id or to must be given')
  return {
    id: id ?? '',
    to: to ? await readTargetNumber(store, user, to) : '',
    service: service ?? '',
  }
}

const START_REFUSALS: readonly RefusalCode[] = [
  'invalid_template',
  'invalid_phone_number',
  'body_too_long',
  'destination_not_allowed',
  'destination_stopped',
  'recipient_opted_out',
  'service_not_found',
  'quota_exceeded',
  'number_limit_reached',
  'sender_limit_reached',
  'resend_too_soon',
  'no_devices',
]

const OF_CODE: Bound = { cost: 'the pending code of the number', by: 'keys; one row' }

/** `/api/verify`: sends and checks codes that prove a phone number. Errors are `{"error","message"}`. */
export const CODE_ROUTES = makeRoutes('sending', {
  'POST /api/verify': {
    permission: allowSender('verify'),
    maxBytes: MAX_BODY_BYTES,
    bound: OF_CODE,
    describe: {
      id: 'startVerification',
      summary: 'Send a code',
      description:
        'Sends a random code to a number. While it is pending, the same code is sent again: 30 seconds after the first time, 60 after the second, and so on. Its text is not kept: records, webhooks and exports have dots in its place.',
      body: [START, { to: '+4915112345678', locale: 'de', origin: 'example.com' }],
      answer: ['The code is on its way.', VERIFICATION],
      fails: describeRefusals(...START_REFUSALS),
    },
    run: async (sender, c) => {
      const given = readStart(await readCodeJson(c))
      const { store, user, services } = sender
      const to = await readTargetNumber(store, user, given.to)
      return startVerification({ store, config: services.config }, { sender, ...given, to })
    },
  },
  'POST /api/verify/check': {
    permission: allowSender('verify'),
    maxBytes: MAX_BODY_BYTES,
    bound: OF_CODE,
    describe: {
      id: 'checkVerification',
      summary: 'Check a code',
      description:
        'Only `approved` means that the code was right; it is so once. `pending`: it was wrong. `max_attempts_reached`: the fifth was wrong. `expired`: too late, approved before, or never started.',
      body: [CHECK, { to: '+4915112345678', code: '431977' }],
      answer: ['What became of it.', VERIFICATION],
      fails: describeRefusals('invalid_phone_number', 'destination_not_allowed'),
    },
    run: async (sender, c) => {
      const { code, ...named } = checkShape(CHECK, await readCodeJson(c))
      return checkVerification(sender.store, sender, {
        ...(await parseCancelTarget(sender, named)),
        code,
      })
    },
  },
  'POST /api/verify/cancel': {
    permission: allowSender('verify'),
    maxBytes: MAX_BODY_BYTES,
    bound: OF_CODE,
    describe: {
      id: 'cancelVerification',
      summary: 'Cancel a code',
      description:
        'Also cancels a text that no device has claimed. An ended verification stays unchanged.',
      body: [CANCEL, { id: 'k3v9x0c2m5n8b1a' }],
      answer: ['The verification.', VERIFICATION],
      fails: describeRefusals(
        'invalid_phone_number',
        'destination_not_allowed',
        'verification_not_found',
      ),
    },
    run: async (sender, c) => {
      const named = await parseCancelTarget(sender, checkShape(CANCEL, await readCodeJson(c)))
      return endVerification(sender.store, sender, named, 'canceled')
    },
  },
})
