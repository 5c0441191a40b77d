import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { objectsOf } from '../db/statement.ts'
import { PRESETS } from '../portable/presets.ts'
import { isDisabledSql } from '../records/record-sql.ts'
import { id as recordId } from '../sms/send/shape.ts'
import { REPLAY_MINUTES } from './signature.ts'

const text = (max: number) => z.string().max(max).default('')

export const MAX_TEMPLATE = 2_000
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
