import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { queries } from '../db/queries.ts'
import type { Way } from '../db/statement.ts'
import { ApiError, fieldError, invalidFields } from '../errors.ts'
import type { Value } from '../fields/field.ts'
import { E164, SHORT_CODE } from '../portable/phone/e164.ts'
import { isPlain } from '../portable/phone/read.ts'
import { PRESETS } from '../portable/presets.ts'
import type { Extension } from '../records/extension.ts'
import { isDisabled } from '../records/record-sql.ts'
import { recipientsIn } from '../sms/send/read-numbers.ts'
import { allowsShortCodes } from '../sms/send/recipients.ts'
import { id as recordId } from '../sms/send/schemas.ts'
import { parseTemplate } from '../templates/template.ts'
import type { FormPair } from '../tools/charset.ts'
import { parseJson } from '../tools/json.ts'
import { randomText } from '../tools/random.ts'
import { requireRoomFor } from '../webhooks/extensions.ts'
import { isSecret, isSigned } from '../webhooks/secrets.ts'

const text = (max: number) => z.string().max(max).default('')

const MAX_TEMPLATE = 2_000
const MAX_RECIPIENTS = 100
/** Default maximum of short messages per text. */
export const DEFAULT_PARTS = 3

/** The fields of a hook that decide what it sends. A preview may pass those of an unsaved hook. */
export const HOOK_FIELDS = z.object({
  preset: z.enum(Object.keys(PRESETS) as (keyof typeof PRESETS)[]),
  kind: z.enum(['', 'alerts', 'codes']).default('alerts'),
  template: text(MAX_TEMPLATE),
  recipients: z.array(z.string().max(100)).max(MAX_RECIPIENTS).default([]),
  groups: z.array(recordId(100)).max(100).default([]),
  recipients_from: text(200),
  line: recordId(100).default(''),
  once_key: text(500),
  resolved: text(10),
  resolved_when: text(200),
  send_when: text(200),
  max_parts: z.int().min(0).max(10).default(DEFAULT_PARTS),
})
export type HookFields = z.output<typeof HOOK_FIELDS>

export interface Hook extends HookFields {
  readonly id: string
  readonly user: string
  readonly name: string
  readonly enabled: boolean
  readonly once_minutes: number
  readonly rate: number
  /** The secret with which callers sign bodies; '' if signatures are not checked. */
  readonly signing_secret: string
}

/** Whether a hook sends login codes. One with an auth server's preset always does. */
export const isOfCodes = ({ kind, preset }: Pick<HookFields, 'kind' | 'preset'>): boolean =>
  kind === 'codes' || PRESETS[preset]?.codes !== undefined

/** The hook with this secret, unless its account is disabled. */
const bySecret = (db: Db, secret: string, way?: Way) =>
  queries(db, way)
    .selectFrom('hooks as h')
    .where('h.secret', '=', secret)
    // repeats the condition of a partial index, so that Postgres can use it
    .where('h.secret', '<>', sql.lit(''))
    .where(({ not }) => not(isDisabled('h.user')))

/** The account of the hook with this secret; undefined if the secret is unknown or the account disabled. */
export async function hookAccount({ db }: Store, secret: string): Promise<string | undefined> {
  const hook = await bySecret(db, secret, 'lookUp').select('h.user').executeTakeFirst()
  return hook?.user
}

/** Locks the hook with this secret: its calls run one at a time on all servers. Undefined if unknown. */
export async function lockHook(db: Db, secret: string): Promise<Hook | undefined> {
  const row = await bySecret(db, secret).selectAll().forUpdate().executeTakeFirst()
  if (!row) return undefined
  const once_minutes = row.signing_secret ? Math.max(row.once_minutes, REPLAY_MINUTES) : row.once_minutes
  return { ...row, once_minutes, recipients: JSON.parse(row.recipients ?? '[]') }
}

/** How far a signature's time may differ from ours, as Standard Webhooks and ZITADEL recommend. */
const TOLERANCE_SECONDS = 300
/** How long a signature can be valid: from TOLERANCE_SECONDS before its time until as long after it. */
const REPLAY_MINUTES = (2 * TOLERANCE_SECONDS) / 60

export interface Posted {
  /** The body as text; '' if it could not be read. */
  readonly raw: string
  /** The fields of a form; undefined for another body. */
  readonly form?: readonly FormPair[]
  /** Why the body could not be read: 413 for one that is too large, 400 for a wrong charset. */
  readonly unread?: ApiError
  /** The keys are header names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The Message-ID of a mail. Mails with the same Message-ID and text are sent only once a day. */
  readonly messageId?: string
}

/** Supabase writes `v1,` before a secret of Standard Webhooks. */
const standardSecret = (secret: string) => secret.replace(/^v1,/, '')

/**
 * Checks a body's signature. Returns a name of the call, the same one if the call is repeated; '' if the hook
 * has no signing secret. Throws 401 for a missing, wrong or old signature.
 */
export function checkSignature({ preset, signing_secret: secret }: Hook, posted: Posted): string {
  if (secret === '') return ''
  const check = PRESETS[preset].codes?.signed === 'zitadel' ? zitadelName : standardName
  const name = check(secret, posted)
  if (name) return name
  throw new ApiError(401, 'The signature of the body is missing, wrong or too old.')
}

/** The header `webhook-id` if the signature is right, else undefined. https://www.standardwebhooks.com */
const standardName = (secret: string, { raw, headers }: Posted): string | undefined =>
  isSigned(raw, headers, standardSecret(secret)) ? headers['webhook-id'] : undefined

/**
 * Checks ZITADEL's header, `t=1790000000,v1=` and the HMAC of time and body. Returns the HMAC if it is right
 * and recent, else undefined. Source: zitadel/zitadel, pkg/actions/signing.go
 */
function zitadelName(secret: string, { raw, headers }: Posted): string | undefined {
  const parts = (headers['zitadel-signature'] ?? '').split(',').map((part) => part.trim().split('='))
  const at = Number(parts.find(([name]) => name === 't')?.[1])
  if (!(Math.abs(Date.now() / 1000 - at) <= TOLERANCE_SECONDS)) return undefined
  const signature = createHmac('sha256', secret).update(`${at}.${raw}`).digest('hex')
  return parts.some(([name, value]) => name === 'v1' && isSame(value, signature)) ? signature : undefined
}

const isSame = (a: string | undefined, b: string) => timingSafeEqual(digest(a ?? ''), digest(b))
const digest = (text: string) => hash('sha256', text, 'buffer')

const NUMBERS = fieldError('validation_invalid_recipients', 'Must be a list of at most 100 numbers in E.164')
const SIGNING_SECRET = fieldError('validation_invalid_secret', 'Must be a secret as whsec_… or v1,whsec_…')

/** Rules for records of `hooks`. Fills in defaults, such as the secret in the hook's URL. */
export const hooksExtension: Extension = {
  grantsAccess: true,
  check: (values) => complete({ ...values }),
  async beforeCreate(store, values, { body }) {
    const { db } = store
    if (!('enabled' in body)) values.enabled = true
    if (!('once_minutes' in body)) values.once_minutes = 60
    await completeRecipients(store, values)
    complete(values)
    await checkRecipients(store, values)
    await requireRoomFor(db, 'hooks', String(values.user))
  },
  async beforeUpdate(store, values) {
    await completeRecipients(store, values)
    complete(values)
    await checkRecipients(store, values)
  },
}

/** Stores recipients in E.164. Leaves those that are no numbers, which `checkRecipients` refuses. */
async function completeRecipients(store: Store, values: Record<string, Value>): Promise<void> {
  const { data } = HOOK_FIELDS.shape.recipients.safeParse(parseJson(String(values.recipients ?? '')))
  if (!data || data.every(isPlain)) return
  values.recipients = JSON.stringify(await recipientsIn(store, String(values.user), data, MAX_RECIPIENTS))
}

/** Fills in a hook's defaults. Throws 400 for invalid templates and signing secrets. */
function complete(values: Record<string, Value>) {
  values.secret ||= randomText(32)
  const { preset, signing_secret } = values as unknown as Hook
  if (isOfCodes(values as unknown as Hook)) values.kind = 'codes'
  values.kind ||= 'alerts'
  values.rate ||= values.kind === 'codes' ? 600 : 60
  values.max_parts ||= DEFAULT_PARTS
  values.recipients ??= '[]'
  for (const name of ['template', 'once_key'] as const) {
    const template = String(values[name])
    // do not parse this (36 kB of open blocks took 2 s): the field's own limit refuses it later
    if (template.length > 2 * MAX_TEMPLATE) continue
    try {
      parseTemplate(template)
    } catch (error) {
      throw invalidFields({
        [name]: fieldError('validation_invalid_template', (error as Error).message),
      })
    }
  }
  const isChecked = signing_secret !== '' && PRESETS[preset]?.codes?.signed !== 'zitadel'
  if (isChecked && !isSecret(standardSecret(signing_secret)))
    throw invalidFields({ signing_secret: SIGNING_SECRET })
}

/** Throws 400 for recipients that are no numbers, and for short codes that the account does not allow. */
async function checkRecipients(store: Store, values: Record<string, Value>): Promise<void> {
  const { data } = HOOK_FIELDS.shape.recipients.safeParse(parseJson(String(values.recipients)))
  const others = data?.filter((number) => !E164.test(number))
  const areCodes = others?.every((number) => SHORT_CODE.test(number))
  if (others?.length === 0 || (areCodes && (await allowsShortCodes(store, String(values.user))))) return
  throw invalidFields({ recipients: NUMBERS })
}
