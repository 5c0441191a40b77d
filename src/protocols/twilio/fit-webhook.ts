import type { FitWebhook } from '../../gateway/webhooks/webhook-extensions.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'

const findCallSigner = (db: Db, user: string, key: string, device: string) =>
  queries(db)
    .selectNoFrom(({ exists, selectFrom }) => [
      exists(
        selectFrom('api_keys')
          .where('id', '=', key)
          .where('user', '=', user)
          .where('twilio', '=', true),
      ).as('hasKey'),
      exists(selectFrom('devices').where('id', '=', device).where('user', '=', user)).as(
        'hasDevice',
      ),
    ])
    .executeTakeFirstOrThrow()

const NO_SIGNER = makeFieldError(
  'validation_twilio_key',
  'Must be an API key of this user, made with twilio.',
)
const NO_DEVICE = makeFieldError('validation_twilio_device', 'Must be a device of this user.')

/** Checks a webhook with format `twilio`: an SmsUrl of Twilio's API, which gets only received texts. */
export const fitTwilioWebhook: FitWebhook = async ({ db }, values) => {
  if (values.format !== 'twilio') {
    if (values.api_key !== undefined) values.api_key = ''
    return
  }
  values.events = ['message.received']
  if (!values.enabled) return
  const [user, key, device] = [values.user, values.api_key, values.device].map((value) =>
    String(value ?? ''),
  )
  const { hasKey, hasDevice } = await findCallSigner(db, user!, key!, device!)
  if (!hasKey) throw invalidFields({ api_key: NO_SIGNER })
  if (!hasDevice) throw invalidFields({ device: NO_DEVICE })
}
