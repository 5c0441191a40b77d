import { LOCKS } from '../db/advisory-locks.ts'
import { badRequest, fieldError } from '../errors.ts'
import type { Value } from '../fields/field.ts'
import { E164 } from '../portable/phone.ts'
import type { Extension } from '../records/extension.ts'
import { parseJson } from '../tools/json.ts'
import { randomText } from '../tools/random.ts'
import { DEFAULT_PARTS, HOOK_FIELDS, MAX_TEMPLATE } from './hook.ts'
import { parseTemplate } from './template.ts'

/** Maximum hooks of an account. */
const MOST_HOOKS = 20
const TOO_MANY = fieldError('validation_too_many_hooks', `A user has at most ${MOST_HOOKS} hooks.`)
const COUNT = 'select count(*) from hooks where "user" = $1'

const NUMBERS = fieldError('validation_invalid_recipients', 'Must be a list of at most 100 numbers in E.164')
const CREATE = 'Failed to create record.'

/** Hooks: the server makes the secret. */
export const hooksExtension: Extension = {
  grantsAccess: true,
  async beforeCreate({ db }, values, { body }) {
    if (!('enabled' in body)) values.enabled = true
    if (!('once_minutes' in body)) values.once_minutes = 60
    complete(values, CREATE)
    await db.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.hookCount, values.user])
    const { rows } = await db.query(COUNT, [values.user], 'hooks of a user')
    if (Number(rows[0]![0]) >= MOST_HOOKS) throw badRequest(CREATE, { user: TOO_MANY })
    return undefined
  },
  async beforeUpdate(_store, values) {
    complete(values, 'Failed to update record.')
  },
}

/** Fills in defaults. Throws 400 for invalid templates and numbers. */
function complete(values: Record<string, Value>, failed: string): void {
  values.secret ||= randomText(32)
  values.rate ||= 60
  values.kind ||= 'alerts'
  values.max_parts ||= DEFAULT_PARTS
  values.recipients ??= '[]'
  for (const name of ['template', 'once_key'] as const) {
    const template = String(values[name])
    // the field's own limit refuses it later; parsing 36 kB of open blocks took 2 s
    if (template.length > 2 * MAX_TEMPLATE) continue
    try {
      parseTemplate(template)
    } catch (error) {
      throw badRequest(failed, {
        [name]: fieldError('validation_invalid_template', (error as Error).message),
      })
    }
  }
  const { data } = HOOK_FIELDS.shape.recipients.safeParse(parseJson(String(values.recipients)))
  if (!data?.every((number) => E164.test(number))) throw badRequest(failed, { recipients: NUMBERS })
}
