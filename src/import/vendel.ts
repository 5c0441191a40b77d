import { createDecipheriv, createHash, createHmac } from 'node:crypto'
import { sha256 } from '../auth/tokens.ts'
import { type Collection, USERS_ID } from '../collections/catalog.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import { BUILT_IN_IDS } from '../collections/definition/built-in.ts'
import { UserError } from '../errors.ts'
import type { Field } from '../fields/field.ts'
import { readPhone } from '../portable/phone/read.ts'
import { countSegments } from '../portable/segments.ts'
import type { Extensions } from '../records/extension.ts'
import type { Progress } from '../tools/progress.ts'
import { randomText } from '../tools/random.ts'
import { newSecret } from '../webhooks/secrets.ts'
import { dropLostRelations } from './left-out.ts'
import { importFolder, importRecords } from './pocketbase.ts'
import {
  type ExportedCollection,
  importPocketBaseTables,
  type PocketBaseData,
  type StoredRow,
  saveOne,
  textOf,
} from './pocketbase-collections.ts'

/** Returns a row's changed columns. `count` notes a sentence, in which `#` becomes the number of calls. */
type Convert = (row: StoredRow, count: (sentence: string) => void) => StoredRow

const FAILED = { status: 'failed', error_message: 'Not finished when it was imported from Vendel' }
const UNFINISHED = ['pending', 'assigned', 'sending']
/** Scopes of imported API keys: what every key may do in Vendel. Without scopes they could do less here. */
const SCOPES = ['messages:send', 'messages:read', 'messages:list', 'inbox:list', 'devices:list']
/** How many characters of an API key its owner sees. */
const VISIBLE_LENGTH = 10

/** Our names of Vendel's own collections. A table that only has the name of one of ours is not ours. */
const OURS: Readonly<Record<string, string>> = {
  ...{
    users: 'users',
    contacts: 'contacts',
    contact_groups: 'contact_groups',
    sms_templates: 'sms_templates',
  },
  ...{
    sms_messages: 'sms_messages',
    api_keys: 'api_keys',
    sms_devices: 'devices',
    webhook_configs: 'webhooks',
  },
}
const NEEDED = ['sms_devices', 'webhook_configs']

/** Converts rows of collections whose fields have other names or meanings here. */
const CONVERT: Readonly<Record<string, Convert>> = {
  users(row, count) {
    if (row.is_superuser) count('users: # had is_superuser. They are users like others here.')
    return { name: row.full_name || row.name }
  },
  contacts: ({ phone_number, notes }) => ({
    phone: readPhone(textOf(phone_number)).phone ?? phone_number,
    data: notes ? JSON.stringify({ notes }) : null,
  }),
  sms_devices(row, count) {
    count('sms_devices: # came over as devices, switched off. Add the phones and modems anew.')
    const phone = readPhone(textOf(row.phone_number)).phone ?? ''
    return {
      phone,
      platform: row.device_type,
      enabled: 0,
      password: randomText(40),
      tokenKey: randomText(50),
    }
  },
  sms_messages(row, count) {
    const isUnfinished = UNFINISHED.includes(textOf(row.status))
    if (isUnfinished)
      count('sms_messages: # were not finished. They are failed here, so that none goes out twice.')
    const { segments } = countSegments(textOf(row.body))
    return { from: row.from_number, segments, guarantee: 'at_most_once', ...(isUnfinished && FAILED) }
  },
  webhook_configs(row, count) {
    if (row.active && !row.include_body)
      count('webhook_configs: # were called without the text. Calls have it here.')
    const events = textOf(row.events).replaceAll('"sms_', '"message.')
    return { events, enabled: row.active, format: 'vendel', secret: row.secret_key || newSecret() }
  },
  api_keys(row, count) {
    if (!row.is_active) count('api_keys: # had been switched off. They are so here.')
    const key = textOf(row.key)
    const scopes = JSON.stringify(SCOPES)
    const disabled = row.is_active ? 0 : 1
    return { prefix: key.slice(0, VISIBLE_LENGTH), hash: sha256(key), scopes, disabled }
  },
}

/** Makes a conversation for each phone number that has sent messages. */
const CONVERSATIONS = `
insert into conversations (id, "user", number, name, last_text, last_at, last_type, last_message, device, created, updated)
select pb_new_id(), m."user", m."from", l.name, l.body, l.at, l.type, l.id, l.device, l.at, l.at
from (select distinct "user", "from" from sms_messages where message_type = 'incoming' and "from" <> '') m
cross join lateral sms_conversation_last(m."user", m."from") l`

/** Imports Vendel's data directory. Of collections unknown here, users may only read their own records. */
export const importVendel = (
  store: CatalogStore,
  extensions: Extensions,
  folder: string,
  key: string,
  progress: Progress,
) =>
  importFolder(store, extensions, folder, progress, async (work) => {
    const { draft, data, report } = work
    const raws = work.raws.filter(({ type }) => type !== 'view')
    if (!NEEDED.every((table) => raws.some(({ name }) => name === table)))
      throw new UserError(
        `${folder} is not a data directory of Vendel. Import other PocketBase directories with --pocketbase.`,
      )
    const open = opener(key)
    requireKey(
      raws.values().flatMap(({ name }) => data.rows(name)),
      open,
    )

    const own = draft.catalog.all.filter(({ id, system }) => system || BUILT_IN_IDS.has(id))
    const ownOf = ({ name }: ExportedCollection) =>
      own.find((one) => one.name === (one.system ? name : OURS[name]))
    const ids = new Map(raws.map((raw) => [raw.id, ownOf(raw)?.id ?? raw.id]))
    const others = raws.filter((raw) => !ownOf(raw)).map((raw) => withOwnRules(raw, ids))
    const collections = await importPocketBaseTables(draft, others, report)
    const { id, name, type, oauth2 } = raws.find(({ id }) => id === USERS_ID)!
    const providers = (oauth2 as { providers?: unknown[] | null } | undefined)?.providers ?? []
    const signIn = { id, name, type, oauth2: { enabled: providers.length > 0, providers } }
    await saveOne(draft, signIn, report)

    const counts = new Map<string, number>()
    const count = (sentence: string) => void counts.set(sentence, (counts.get(sentence) ?? 0) + 1)
    const quotas = monthlyTexts(data)
    const brought = new Set<Collection>()
    let records = 0
    for (const raw of raws) {
      const convert = (stored: StoredRow): StoredRow => {
        const row = { ...stored, monthly_quota: quotas.get(stored.id) }
        for (const column of sealedIn(row)) {
          // a text that cannot be decrypted stays as it is stored, as in Vendel
          const text = open(textOf(stored[column]))
          if (text === undefined) count(`${raw.name}: # had a text with another key. It is still encrypted.`)
          else Object.assign(row, { [column]: text })
        }
        return { ...row, ...CONVERT[raw.name]?.(row, count) }
      }
      const collection = ownOf(raw) ?? draft.catalog.find(raw.id)!
      brought.add(collection)
      records += await importRecords(work, collection, raw.name, convert)
    }
    records -= await dropLostRelations(draft, work.leftOut, [...brought])
    await draft.db.query(CONVERSATIONS)
    for (const [sentence, n] of counts) report(sentence.replace('#', () => String(n)))
    const names = collections.map(({ name }) => name).join(', ')
    report(`${names}: kept as they were. Nothing here uses them, their users may read their own.`)
    report('scheduled_sms: none goes out. Send them as campaigns.')
    report('settings: left out. Vendel takes them from its environment.')
    return { collections, records }
  })

/** Gives a collection of Vendel new rules. `ids`: the ids of our collections by their ids in Vendel. */
function withOwnRules(raw: ExportedCollection, ids: ReadonlyMap<string, string>): ExportedCollection {
  const fields = (raw.fields as readonly Field[]).map((field) =>
    field.type === 'relation'
      ? { ...field, collectionId: ids.get(field.collectionId)!, cascadeDelete: field.required }
      : field,
  )
  const read = fields.some(({ name }) => name === 'user') ? 'user = @request.auth.id' : null
  const change = { createRule: null, updateRule: null, deleteRule: null }
  return { ...raw, fields, listRule: read, viewRule: read, ...change }
}

/** Texts a month that each user's plan allows. The keys are ids of users. */
function monthlyTexts(data: PocketBaseData): ReadonlyMap<unknown, StoredRow[string]> {
  const plans = new Map([...data.rows('user_plans')].map((plan) => [plan.id, plan.max_sms_per_month]))
  return new Map([...data.rows('user_quotas')].map(({ user, plan }) => [user, plans.get(plan!)]))
}

/** Columns that Vendel encrypts, in whichever table they are. */
const SEALED = ['body', 'secret_key']
const PREFIX = /^f?enc:/
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Decrypts a text; undefined if that fails. Vendel: services/crypto.go, services/bodyencrypt.go */
export type Open = (sealed: string) => string | undefined

/** Returns the function that decrypts. `key`: WEBHOOK_ENCRYPTION_KEY of Vendel's environment. */
function opener(key: string): Open {
  const bodyKey = createHmac('sha256', key).update('sms-body').digest()
  const secretKey = createHash('sha256').update(key).digest()
  return (sealed) => {
    const bytes = Buffer.from(sealed.replace(PREFIX, ''), 'base64url')
    const [nonce, content] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES, -TAG_BYTES)]
    try {
      const cipherKey = sealed.startsWith('fenc:') ? bodyKey : secretKey
      const cipher = createDecipheriv('aes-256-gcm', cipherKey, nonce, { authTagLength: TAG_BYTES })
      cipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      return Buffer.concat([cipher.update(content), cipher.final()]).toString('utf8')
    } catch {
      return undefined
    }
  }
}

const sealedIn = (row: StoredRow): string[] => SEALED.filter((column) => PREFIX.test(textOf(row[column])))

/** Throws a UserError if rows have encrypted texts and the key opens none of them. */
function requireKey(rows: Iterable<StoredRow>, open: Open): void {
  let sealed = 0
  for (const row of rows) {
    for (const column of sealedIn(row)) {
      if (open(textOf(row[column])) !== undefined) return
      sealed++
    }
  }
  if (sealed === 0) return
  throw new UserError(
    `--vendel-key opens none of ${sealed} encrypted texts. It is WEBHOOK_ENCRYPTION_KEY of Vendel's environment.`,
  )
}
