import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { objectsOf } from '../db/statement.ts'
import { ApiError, fieldError, invalidFields } from '../errors.ts'
import type { Value } from '../fields/field.ts'
import { E164 } from '../portable/phone.ts'
import { PRESETS } from '../portable/presets.ts'
import type { Extension } from '../records/extension.ts'
import { isDisabledSql } from '../records/record-sql.ts'
import { id as recordId } from '../sms/send/shape.ts'
import { parseTemplate } from '../templates/template.ts'
import { parseJson } from '../tools/json.ts'
import { randomText } from '../tools/random.ts'
import { requireRoomFor } from '../webhooks/extensions.ts'
import { isSecret, isSigned } from '../webhooks/secrets.ts'

const text = (max: number) => z.string().max(max).default('')

const MAX_TEMPLATE = 2_000
/** Default maximum of short messages per text. */
export const DEFAULT_PARTS = 3

/** The fields that turn a body into texts. A preview gets those of an unsaved hook. */
export const HOOK_FIELDS = z.object({
  preset: z.enum(Object.keys(PRESETS) as (keyof typeof PRESETS)[]),
  kind: z.enum(['', 'alerts', 'codes']).default('alerts'),
  template: text(MAX_TEMPLATE),
  recipients: z.array(z.string().max(100)).max(100).default([]),
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
  /** What its bodies are signed with; '' if signatures are not checked. */
  readonly signing_secret: string
}

/** Whether a hook sends codes: a preset of an auth server sends nothing else. */
export const isOfCodes = ({ kind, preset }: Pick<HookFields, 'kind' | 'preset'>): boolean =>
  kind === 'codes' || PRESETS[preset]?.codes !== undefined

// repeats the condition of the partial index
const BY_SECRET = `h.secret = $1 and h.secret <> '' and not ${isDisabledSql('h."user"')}`

/** The account of the hook with this secret; undefined for an unknown one, and for a disabled account. */
export async function hookAccount({ db }: Store, secret: string): Promise<string | undefined> {
  const { rows } = await db.lookUp(
    `select h."user" from hooks h where ${BY_SECRET}`,
    [secret],
    'hook account',
  )
  return rows[0] && String(rows[0][0])
}

const LOCK = `
select h.*, h.recipients::text as recipients
from hooks h where ${BY_SECRET} for update`

/** The hook with this secret, locked: its calls run one at a time across all nodes. */
export async function lockHook(db: Db, secret: string): Promise<Hook | undefined> {
  const [row] = objectsOf<Hook & { recipients: string | null }>(await db.query(LOCK, [secret]))
  if (!row) return undefined
  const once_minutes = row.signing_secret ? Math.max(row.once_minutes, REPLAY_MINUTES) : row.once_minutes
  return { ...row, once_minutes, recipients: JSON.parse(row.recipients ?? '[]') }
}

/** How far the time of a signature may be away: what Standard Webhooks and ZITADEL recommend. */
const TOLERANCE_SECONDS = 300
/** How long a signed body may be posted again: its time may lie in the future, too. */
const REPLAY_MINUTES = (2 * TOLERANCE_SECONDS) / 60

export interface Posted {
  readonly raw: string
  readonly isForm: boolean
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The Message-ID of a mail: mails with the same one are sent once a day. */
  readonly messageId?: string
}

/** Supabase writes `v1,` before a secret of Standard Webhooks. */
const standardSecret = (secret: string) => secret.replace(/^v1,/, '')

/** Checks a body's signature. Returns a name that a replay has, too; '' for an unsigned hook. Throws 401. */
export function checkSignature({ preset, signing_secret: secret }: Hook, posted: Posted): string {
  if (secret === '') return ''
  const check = PRESETS[preset].codes?.signed === 'zitadel' ? zitadelName : standardName
  const name = check(secret, posted)
  if (name) return name
  throw new ApiError(401, 'The signature of the body is missing, wrong or too old.')
}

/** https://www.standardwebhooks.com */
const standardName = (secret: string, { raw, headers }: Posted): string | undefined =>
  isSigned(raw, headers, standardSecret(secret)) ? headers['webhook-id'] : undefined

/** `t=1790000000,v1=…`: the HMAC of time and body. zitadel/zitadel, pkg/actions/signing.go */
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

/** Hooks: the server makes each hook's secret. */
export const hooksExtension: Extension = {
  grantsAccess: true,
  async beforeCreate({ db }, values, { body }) {
    if (!('enabled' in body)) values.enabled = true
    if (!('once_minutes' in body)) values.once_minutes = 60
    complete(values)
    await requireRoomFor(db, 'hooks', values.user)
  },
  async beforeUpdate(_store, values) {
    complete(values)
  },
}

/** Fills in defaults. Throws 400 for invalid templates and numbers. */
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
    // the field's own limit refuses it later; parsing 36 kB of open blocks took 2 s
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
  const { data } = HOOK_FIELDS.shape.recipients.safeParse(parseJson(String(values.recipients)))
  if (!data?.every((number) => E164.test(number))) throw invalidFields({ recipients: NUMBERS })
}
