import { completeAddresses } from '../../engine/auth/allowed-addresses.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Value } from '../../engine/fields/field.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { requireOwnRecord } from '../../engine/records/require-own.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { parseTemplate } from '../../platform/templates/parse.ts'
import { parseJson } from '../../platform/tools/json.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { PRESETS } from '../../portable/hook-presets.ts'
import { E164, SHORT_CODE } from '../../portable/phone/e164.ts'
import { isPlainPhone } from '../../portable/phone/read-phone.ts'
import { readRecipients } from '../base/read-numbers.ts'
import { requireRoomFor } from '../base/require-room.ts'
import { allowsShortCodes } from '../messages/send/load-all-recipients.ts'
import { isSecret } from '../webhooks/sign-webhook.ts'
import { trimStandardSecret } from './check-signature.ts'
import {
  DEFAULT_PARTS,
  HOOK_SETTINGS,
  type Hook,
  MAX_RECIPIENTS,
  MAX_TEMPLATE,
  sendsLoginCodes,
} from './hook-settings.ts'

const NUMBERS = makeFieldError(
  'validation_invalid_recipients',
  'Must be a list of at most 100 numbers in E.164',
)
const SIGNING_SECRET = makeFieldError(
  'validation_invalid_secret',
  'Must be a secret as whsec_… or v1,whsec_…',
)

/** Rules for records of `hooks`. Fills in defaults, such as the secret in the hook's URL. */
export const hooksExtension: Extension = {
  grantsAccess: true,
  check: (values) => completeHook({ ...values }),
  async beforeCreate(store, values, { body }) {
    const { db } = store
    if (!('enabled' in body)) values.enabled = true
    if (!('once_minutes' in body)) values.once_minutes = 60
    await prepareHook(store, values)
    await requireOwnRecord(store, 'label', values)
    await requireRoomFor(db, 'hooks', String(values.user))
  },
  async beforeUpdate(store, values, old) {
    await prepareHook(store, values)
    await requireOwnRecord(store, 'label', values, old)
  },
}

async function prepareHook(store: Store, values: Record<string, Value>): Promise<undefined> {
  completeAddresses(values)
  await completeRecipients(store, values)
  completeHook(values)
  await checkRecipients(store, values)
}

/** Stores recipients in E.164. Leaves those that are no numbers, which `checkRecipients` refuses. */
async function completeRecipients(store: Store, values: Record<string, Value>): Promise<void> {
  const { data } = HOOK_SETTINGS.shape.recipients.safeParse(
    parseJson(String(values.recipients ?? '')),
  )
  if (!data || data.every(isPlainPhone)) return
  values.recipients = JSON.stringify(
    await readRecipients(store, String(values.user), data, MAX_RECIPIENTS),
  )
}

/** Fills in a hook's defaults. Throws 400 for invalid templates and signing secrets. */
function completeHook(values: Record<string, Value>) {
  values.secret ||= makeRandomText(32)
  const { preset, signing_secret } = values as unknown as Hook
  if (sendsLoginCodes(values as unknown as Hook)) values.kind = 'codes'
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
        [name]: makeFieldError('validation_invalid_template', (error as Error).message),
      })
    }
  }
  const isChecked = signing_secret !== '' && PRESETS[preset]?.codes?.signed !== 'zitadel'
  if (isChecked && !isSecret(trimStandardSecret(signing_secret)))
    throw invalidFields({ signing_secret: SIGNING_SECRET })
}

/** Throws 400 for recipients that are no numbers, and for short codes that the account does not allow. */
async function checkRecipients(store: Store, values: Record<string, Value>): Promise<void> {
  const { data } = HOOK_SETTINGS.shape.recipients.safeParse(parseJson(String(values.recipients)))
  const others = data?.filter((number) => !E164.test(number))
  const areCodes = others?.every((number) => SHORT_CODE.test(number))
  if (others?.length === 0 || (areCodes && (await allowsShortCodes(store, String(values.user)))))
    return
  throw invalidFields({ recipients: NUMBERS })
}
