import { hashSha256 } from '../../engine/auth/tokens.ts'
import { readSqliteText, type StoredRow } from '../../engine/import/open-pocketbase.ts'
import { makeWebhookSecret } from '../../gateway/webhooks/webhook-secret.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { readPhone } from '../../portable/phone/read-phone.ts'
import { countSegments } from '../../portable/segments.ts'

/** Returns a row's changed columns. `count` notes a sentence, in which `#` becomes the number of calls. */
type Convert = (row: StoredRow, count: (sentence: string) => void) => StoredRow

const FAILED = { status: 'failed', error_message: 'Not finished when it was imported from Vendel' }
const UNFINISHED = ['pending', 'assigned', 'sending']
/** Scopes of imported API keys: what every key may do in Vendel. Without scopes they could do less here. */
const SCOPES = ['messages:send', 'messages:read', 'messages:list', 'inbox:list', 'devices:list']
/** How many characters of an API key its owner sees. */
const VISIBLE_LENGTH = 10

/** A number in E.164; unchanged if it is none. */
export const toE164 = (stored: StoredRow[string]) =>
  readPhone(readSqliteText(stored)).phone ?? stored

/** Converts rows of collections whose fields have other names or meanings here. */
export const CONVERT: Readonly<Record<string, Convert>> = {
  users(row, count) {
    if (row.is_superuser) count('users: # had is_superuser. They are users like others here.')
    return { name: row.full_name || row.name }
  },
  contacts: ({ phone_number, notes }) => ({
    phone: toE164(phone_number),
    data: notes ? JSON.stringify({ notes }) : null,
  }),
  sms_devices(row, count) {
    count('sms_devices: # came over as devices, switched off. Add the phones and modems anew.')
    const phone = readPhone(readSqliteText(row.phone_number)).phone ?? ''
    return {
      phone,
      platform: row.device_type,
      enabled: 0,
      password: makeRandomText(40),
      tokenKey: makeRandomText(50),
    }
  },
  sms_messages(row, count) {
    const isUnfinished = UNFINISHED.includes(readSqliteText(row.status))
    if (isUnfinished)
      count('sms_messages: # were not finished. They are failed here, so that none goes out twice.')
    const { segments } = countSegments(readSqliteText(row.body))
    return {
      to: toE164(row.to),
      from: toE164(row.from_number),
      segments,
      guarantee: 'at_most_once',
      ...(isUnfinished && FAILED),
    }
  },
  webhook_configs(row, count) {
    if (row.active && !row.include_body)
      count('webhook_configs: # were called without the text. Calls have it here.')
    const events = readSqliteText(row.events).replaceAll('"sms_', '"message.')
    return {
      events,
      enabled: row.active,
      format: 'vendel',
      secret: row.secret_key || makeWebhookSecret(),
    }
  },
  api_keys(row, count) {
    if (!row.is_active) count('api_keys: # had been switched off. They are so here.')
    const key = readSqliteText(row.key)
    const scopes = JSON.stringify(SCOPES)
    const disabled = row.is_active ? 0 : 1
    return { prefix: key.slice(0, VISIBLE_LENGTH), hash: hashSha256(key), scopes, disabled }
  },
}
