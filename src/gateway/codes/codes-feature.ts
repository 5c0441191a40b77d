import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Value } from '../../engine/fields/field.ts'
import { type Extension, makeStrictExtension } from '../../engine/records/collection-extension.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import { sendGatewayError } from '../../http/middleware/answer-errors.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { parseJson } from '../../platform/tools/json.ts'
import { EVERY_MINUTE, type Feature, HOURLY } from '../base/feature.ts'
import { requireFreeName } from '../base/require-free-name.ts'
import { limitTextDays } from '../base/retention-periods.ts'
import type { SendingServices } from '../messages/require-sender.ts'
import { checkTemplate } from './code-template.ts'
import { deleteOldVerifications, expireVerifications } from './expire-verifications.ts'
import { SERVICE_DEFAULTS } from './find-service.ts'
import { CODE_DATA } from './personal-data.ts'
import { CODE_ROUTES } from './routes.ts'
import { verificationsExtension } from './verification-schemas.ts'

const LANGUAGE = /^[a-z]{2,3}(-[a-zA-Z0-9]{2,8})*$/
const TEMPLATES = z.record(z.string().regex(LANGUAGE), z.string().max(300).refine(hasCode))

function hasCode(template: string) {
  try {
    checkTemplate(template)
    return true
  } catch {
    return false
  }
}

const WRONG = makeFieldError(
  'validation_invalid_templates',
  'Must be texts by language, as {"en": "Your code is {{code}}."}, each with {{code}} and no other variable.',
)

async function completeService(
  { db }: Store,
  values: Record<string, Value>,
  { auth }: RequestInfo,
  old?: Readonly<Record<string, Value>>,
): Promise<undefined> {
  if (!auth?.isSuperuser) values.api_key = old?.api_key ?? ''
  for (const [name, value] of Object.entries(SERVICE_DEFAULTS)) values[name] ||= value
  checkTemplates(values)
  await requireFreeName(db, 'verify_services', values, old)
  return undefined
}

function checkTemplates({ templates }: Readonly<Record<string, Value>>): void {
  const given = parseJson(String(templates ?? 'null')) ?? {}
  if (!TEMPLATES.safeParse(given).success) throw invalidFields({ templates: WRONG })
}

/** Rules of services. `api_key` names the key that made the service by Twilio's API. */
const verifyServicesExtension: Extension = {
  setByServer: ['api_key'],
  check: checkTemplates,
  beforeCreate: completeService,
  beforeUpdate: (store, values, old, request) => completeService(store, values, request, old),
}

export const CODES: Feature<SendingServices> = {
  rows: CODE_ROUTES,
  api: {
    roots: ['/api/verify'],
    group: 'verify',
    errorForm: sendGatewayError,
    isOwn: true,
    takesKeys: true,
  },
  personalData: CODE_DATA,
  extensions: () => ({
    verify_services: makeStrictExtension(verifyServicesExtension),
    verifications: makeStrictExtension(verificationsExtension),
  }),
  timed: ({ store, config }) => [
    {
      id: 'verificationCleanUp',
      ...HOURLY,
      run: () => deleteOldVerifications(store.db, limitTextDays(config)),
    },
    { id: 'verificationExpiry', ...EVERY_MINUTE, run: () => expireVerifications(store.db) },
  ],
}
