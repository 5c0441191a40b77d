import { z } from 'zod'
import { UserError } from '../../../../platform/api-errors.ts'
import { readText } from '../../../../platform/tools/read-named-file.ts'
import { findCountryNamed } from '../../../../portable/phone/numbering-plans.ts'
import { readPhone } from '../../../../portable/phone/read-phone.ts'
import { readSettingsFile } from '../settings-file.ts'

const makeAsciiSchema = (max: number) =>
  z
    .string()
    .regex(/^[ -~]*$/, 'must be plain ASCII')
    .max(max)
const makeWholeSchema = (min: number, max: number, fallback: number) =>
  z.int().min(min).max(max).default(fallback)

const GIVEN_SENDER = z.strictObject({
  address: makeAsciiSchema(20).regex(/^[^+]/, 'goes without its +'),
  ton: z.int().min(0).max(6),
  npi: z.int().min(0).max(18),
})
export type SmppSender = Readonly<z.output<typeof GIVEN_SENDER>>

/** Derives a sender's type of number (TON) and numbering plan (NPI) from its form. SMPP 3.4, 5.2.5 */
function deriveSender(text: string): SmppSender {
  if (text.startsWith('+')) return { address: text.slice(1), ton: 1, npi: 1 }
  return /^\d+$/.test(text) ? { address: text, ton: 3, npi: 0 } : { address: text, ton: 5, npi: 0 }
}

const SENDER = z.union(
  [
    z
      .string()
      .regex(/^(\+[1-9]\d{1,14}|\d{1,15}|(?!\+)[ -~]{1,11})$/)
      .transform(deriveSender),
    GIVEN_SENDER,
  ],
  'must be a number as "+4915112345678", a short code, a name of at most 11 characters, or {"address","ton","npi"}',
)
const DIGITS = z.string().regex(/^\d{0,4}$/, 'must be at most 4 digits')
/** How to compare message ids: `text` and `decimal` without leading zeros, `hex` by value. */
const IDS = z.enum(['text', 'decimal', 'hex'])

const SETTINGS_SCHEMA = z
  .strictObject({
    host: z.string().min(1),
    port: makeWholeSchema(1, 65_535, 2775),
    tls: z.boolean().default(false),
    /** File of certificates to trust instead of the system's. */
    ca: z.string().default(''),
    system_id: makeAsciiSchema(64).min(1),
    password: makeAsciiSchema(64).optional(),
    system_type: makeAsciiSchema(64).default(''),
    bind: z.enum(['transceiver', 'separate']).default('transceiver'),
    /** Number of sessions for each type of bind. */
    sessions: makeWholeSchema(1, 10, 1),
    /** Senders, which count as the device's SIMs 1, 2, … */
    senders: z.array(SENDER).min(1).max(8),
    /** Type of number (TON) of recipients. */
    ton: makeWholeSchema(0, 6, 1),
    npi: makeWholeSchema(0, 18, 1),
    /** Calling code to add to incoming numbers without one. */
    country_code: z
      .string()
      .refine(
        (code) => code === '' || (/^\d+$/.test(code) && findCountryNamed(code) !== undefined),
        'must be the calling code of a country, as "49"',
      )
      .default(''),
    international_prefix: DIGITS.default('00'),
    /** How to read an incoming number without a prefix, if its type is unknown or national. */
    numbers: z.enum(['auto', 'international', 'national']).default('auto'),
    /** Maximum submit_sm per second, all sessions together. */
    rate: z.number().min(0.1).max(1000).default(10),
    /** Maximum unanswered submit_sm per session. */
    window: makeWholeSchema(1, 100, 10),
    answer_seconds: makeWholeSchema(1, 90, 30),
    enquire_link_seconds: makeWholeSchema(1, 600, 30),
    alphabet: z.enum(['gsm', 'latin1']).default('gsm'),
    /** Meaning of data_coding 0 in received texts. */
    default_alphabet: z.enum(['gsm', 'latin1']).default('gsm'),
    long_texts: z.enum(['udh', 'sar', 'payload']).default('udh'),
    /** Validity period; 0: the carrier's default. */
    validity_minutes: makeWholeSchema(0, 43_199, 0),
    registered_delivery: makeWholeSchema(0, 31, 1),
    /** Form of message_id in submit_sm_resp. `receipt_ids`: form of `id:` in receipts. */
    answer_ids: IDS.default('text'),
    receipt_ids: IDS.optional(),
    /** Receipts for a long text: for `each` part, or `one` for all. */
    receipt_for_parts: z.enum(['each', 'one']).default('each'),
  })
  .refine(({ country_code, numbers }) => country_code !== '' || numbers !== 'national', {
    path: ['country_code'],
    error: 'is needed for "numbers": "national"',
  })
  .transform((settings) => ({
    ...settings,
    receipt_ids: settings.receipt_ids ?? settings.answer_ids,
  }))
export type SmppSettings = Readonly<z.output<typeof SETTINGS_SCHEMA>> & {
  readonly password: string
}

/** Reads a settings file. Throws a UserError that quotes no value. */
export function readSmppSettings(file: string, env: NodeJS.ProcessEnv): SmppSettings {
  const data = readSettingsFile(SETTINGS_SCHEMA, file)
  const password = data.password ?? env.SMPP_PASSWORD
  if (password === undefined)
    throw new UserError(
      `password is missing: in ${file}, or as the environment variable SMPP_PASSWORD.`,
    )
  return { ...data, password, ca: data.ca && readText(data.ca) }
}

/** Minimum digits of a number with its calling code. Fewer digits are a short code. ITU-T E.164 */
const SHORTEST = 7
/** Types of number (TON). SMPP 3.4, 5.2.5 */
const UNKNOWN = 0
const INTERNATIONAL = 1
const NATIONAL = 2
const NAME = 5

type Forms = Pick<SmppSettings, 'country_code' | 'international_prefix' | 'numbers'>

/**
 * A phone number of an incoming text, in E.164 if its country is known, else the unchanged address. The
 * carrier's type of number and its international prefix say what no number says by itself.
 */
export function readPhoneAddress(address: string, ton: number, forms: Forms): string {
  const { country_code, international_prefix: prefix, numbers } = forms
  if (ton === NAME || address.length < SHORTEST) return address
  const isWhole = !address.startsWith('0') && (ton === INTERNATIONAL || numbers === 'international')
  const isPrefixed = prefix !== '' && address.startsWith(prefix)
  const text = isPrefixed ? `+${address.slice(prefix.length)}` : isWhole ? `+${address}` : address
  const bare = numbers === 'national' ? 'home' : 'world'
  return readPhone(text, country_code, { bare }).phone ?? address
}

export function printNumbers(forms: Forms, say: (line: string) => void): void {
  const code = forms.country_code || '49'
  const tons = [UNKNOWN, INTERNATIONAL, NATIONAL]
  const row = (cells: readonly string[]) => {
    const line = cells.map((cell) => cell.padEnd(18)).join('')
    say(line.trimEnd())
  }
  row(['sender as sent', ...tons.map((ton) => `with TON ${ton}`)])
  for (const prefix of [code, `${forms.international_prefix}${code}`, '0', '']) {
    const address = `${prefix}1512345678`
    row([address, ...tons.map((ton) => readPhoneAddress(address, ton, forms))])
  }
}
