import { fieldError, invalidFields } from '../errors.ts'
import type { Value } from '../fields/field.ts'
import { E164 } from '../portable/phone.ts'
import { PRESETS } from '../portable/presets.ts'
import type { Extension } from '../records/extension.ts'
import { parseTemplate } from '../templates/template.ts'
import { parseJson } from '../tools/json.ts'
import { randomText } from '../tools/random.ts'
import { requireRoomFor } from '../webhooks/extensions.ts'
import { isSecret } from '../webhooks/secrets.ts'
import { DEFAULT_PARTS, HOOK_FIELDS, type Hook, isOfCodes, MAX_TEMPLATE } from './hook.ts'
import { standardSecret } from './signature.ts'

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
function complete(values: Record<string, Value>): void {
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
