import { z } from 'zod'
import { UserError } from '../../../../platform/api-errors.ts'
import { MAX_SIMS } from '../../../../portable/max-sims.ts'
import { readSettingsFile } from '../settings-file.ts'
import { PRESET, type Preset } from './preset.ts'
import { findPreset, PRESET_NAMES } from './presets.ts'

const address = z.url({
  protocol: /^https?$/,
  error: 'must be an address with https:// or http://',
})
const SENDER = z
  .string()
  .regex(
    /^(\+[1-9]\d{1,14}|\d{1,15}|(?!\+)[ -~]{1,11}|MG[\da-f]{32})$/,
    'must be a number with +, a short code, a name, or a Messaging Service (MG…)',
  )

/** Whether a sender is a Messaging Service of Twilio, which chooses the number, and the channel. */
export const isSenderService = (sender: string) => /^MG[\da-f]{32}$/.test(sender)

/** A carrier's account. Its secrets are separate: `SECRETS`. */
export const ACCOUNT = z.strictObject({
  preset: z.enum(PRESET_NAMES),
  url: address.optional(),
  user: z.string().max(200).default(''),
  /** Senders, which count as the device's SIMs 1, 2, … Without any the carrier chooses. */
  senders: z.array(SENDER).max(MAX_SIMS).default([]),
  values: z.record(z.string().regex(/^[a-z_]{1,40}$/), z.string().max(1_000)).default({}),
  /** Maximum texts per second. */
  rate: z.number().min(0.01).max(1_000).default(10),
  /** Maximum requests at the same time. */
  parallel: z.int().min(1).max(100).default(10),
  answer_seconds: z.int().min(1).max(60).default(30),
  custom: PRESET.optional(),
})

const SECRET = z.string().max(4_000)

export const SECRETS = z.strictObject({
  secret: SECRET.default(''),
  /** Verifies the carrier's calls, if `secret` does not. */
  webhook_secret: SECRET.default(''),
})

/**
 * `allowPrivate`: requests to private addresses and by plain http are allowed. `callback`: our address, or
 * ''.
 */
export interface Carrier extends z.output<typeof ACCOUNT>, z.output<typeof SECRETS> {
  readonly interface: Preset
  readonly address: string
  readonly callback: string
  readonly allowPrivate: boolean
}

/** Maximum characters of a carrier's own templates: each text may parse them again, some 5 ms for 1,000. */
const MAX_SEND = 2_000

/** Joins the parts of a carrier. Throws a UserError that quotes no secret. */
export function makeCarrierAccount(
  account: z.output<typeof ACCOUNT>,
  secrets: z.output<typeof SECRETS>,
  place: Pick<Carrier, 'callback' | 'allowPrivate'>,
): Carrier {
  const { preset, custom, url, values } = account
  const found = preset === 'custom' ? custom : findPreset(preset)
  if (!found) throw new UserError('custom is missing: the interface of the carrier.')
  for (const name of ['send', 'mms'] as const)
    if (custom && JSON.stringify(custom[name]).length > MAX_SEND)
      throw new UserError(`custom.${name} must have at most ${MAX_SEND} characters.`)
  const base = url ?? found.url
  if (base === '') throw new UserError(`url is missing: the address of ${preset}.`)
  if (!address.safeParse(base).success)
    throw new UserError('custom.url must be an address with https:// or http://.')
  if (account.senders.some(isSenderService) && !JSON.stringify(found.send).includes('{{service}}'))
    throw new UserError(`senders: ${preset} has no Messaging Services.`)
  const missing = found.needs.filter((name) => !values[name])
  if (missing.length > 0) throw new UserError(`values has no ${missing.join(', ')}.`)
  return { ...account, ...secrets, ...place, interface: found, address: base.replace(/\/+$/, '') }
}

/**
 * Parts of an account that no error text may quote: the secrets, and the path of our address, which alone
 * protects calls that a carrier does not sign.
 */
export function listHiddenParts({ secret, webhook_secret, callback }: Carrier): readonly string[] {
  const path = callback === '' ? '' : new URL(callback).pathname
  return [secret, webhook_secret, path === '/' ? '' : path].filter(Boolean)
}

const FILE = z.strictObject({
  ...ACCOUNT.shape,
  // without defaults: `partial` would keep those of SECRETS, and the environment would never count
  secret: SECRET.optional(),
  webhook_secret: SECRET.optional(),
  allow_private: z.boolean().default(false),
  /** Our address as the carrier reaches it. */
  callback: address.optional(),
  /** Port of this computer for the carrier's calls. 0: none. */
  listen: z.int().min(0).max(65_535).default(0),
  listen_host: z.string().default('127.0.0.1'),
})

/** Reads a settings file. Throws a UserError that quotes no value. */
export function readCarrierSettings(file: string, env: NodeJS.ProcessEnv) {
  const {
    secret = env.CARRIER_SECRET ?? '',
    webhook_secret = env.CARRIER_WEBHOOK_SECRET ?? '',
    allow_private: allowPrivate,
    callback = '',
    listen: port,
    listen_host: host,
    ...account
  } = readSettingsFile(FILE, file)
  if (port > 0 && callback === '')
    throw new UserError('callback is missing: the address for the carrier.')
  const carrier = makeCarrierAccount(
    account,
    { secret, webhook_secret },
    { callback, allowPrivate },
  )
  return { carrier, port, host }
}
