import { badRequest, fieldError } from '../../errors.ts'
import type { FitWebhook } from '../../webhooks/extensions.ts'

/** It needs a key to sign with, and a device whose texts it is told of. */
const SIGNER = `select
  exists (select from api_keys k where k.id = $2 and k."user" = $1 and k.twilio),
  exists (select from devices d where d.id = $3 and d."user" = $1)`
const NO_SIGNER = fieldError('validation_twilio_key', 'Must be an API key of this user, made with twilio.')
const NO_DEVICE = fieldError('validation_twilio_device', 'Must be a device of this user.')

/** A webhook with the format `twilio` is an SmsUrl of Twilio's API: it is told of received texts only. */
export const fitTwilio: FitWebhook = async ({ db }, values, failed) => {
  if (values.format !== 'twilio') {
    if (values.api_key !== undefined) values.api_key = ''
    return
  }
  values.events = ['message.received']
  if (!values.enabled) return
  const { rows } = await db.query(SIGNER, [values.user, values.api_key, values.device], 'webhook signer')
  const [hasKey, hasDevice] = rows[0]!
  if (!hasKey) throw badRequest(failed, { api_key: NO_SIGNER })
  if (!hasDevice) throw badRequest(failed, { device: NO_DEVICE })
}
