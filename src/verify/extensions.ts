import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import { fieldError, invalidFields } from '../errors.ts'
import type { Value } from '../fields/field.ts'
import type { Extension } from '../records/extension.ts'
import { parseJson } from '../tools/json.ts'
import { checkTemplate } from './code-text.ts'
import { DEFAULTS } from './service.ts'

const LANGUAGE = /^[a-z]{2,3}(-[a-zA-Z0-9]{2,8})*$/
const TEMPLATES = z.record(z.string().regex(LANGUAGE), z.string().max(300).refine(hasCode))

function hasCode(template: string): boolean {
  try {
    checkTemplate(template)
    return true
  } catch {
    return false
  }
}

const WRONG = fieldError(
  'validation_invalid_templates',
  'Must be texts by language, as {"en": "Your code is {{code}}."}, each with {{code}} and no other variable.',
)

async function complete(_store: Store, values: Record<string, Value>): Promise<undefined> {
  for (const [name, value] of Object.entries(DEFAULTS)) values[name] ||= value
  const templates = parseJson(String(values.templates ?? 'null')) ?? {}
  if (!TEMPLATES.safeParse(templates).success) throw invalidFields({ templates: WRONG })
  return undefined
}

export const verifyServicesExtension: Extension = { beforeCreate: complete, beforeUpdate: complete }

export const verificationsExtension: Extension = {
  async afterDelete({ db }, ids) {
    await db.query('delete from _verify_codes where verification = any($1)', [ids], 'forget codes')
  },
}
