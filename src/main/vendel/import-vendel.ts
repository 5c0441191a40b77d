import { sql } from 'kysely'
import type { CatalogStore } from '../../engine/collections/catalog-store.ts'
import { type Collection, USERS_ID } from '../../engine/collections/collection.ts'
import type { Field } from '../../engine/fields/field.ts'
import { dropLostRelations } from '../../engine/import/drop-lost-links.ts'
import type { ExportedCollection } from '../../engine/import/exported-collection.ts'
import { importFolder } from '../../engine/import/import-folder.ts'
import { importRecords } from '../../engine/import/import-records.ts'
import {
  type PocketBaseData,
  readSqliteText,
  type StoredRow,
} from '../../engine/import/open-pocketbase.ts'
import {
  importOneCollection,
  importPocketBaseTables,
} from '../../engine/import/pocketbase-collections.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { UserError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { parseJson } from '../../platform/tools/json.ts'
import type { ReportProgress } from '../../platform/tools/progress.ts'
import { CONVERT, toE164 } from './import-rows.ts'
import { listSealedColumns, makeDecrypter, requireKey } from './import-secrets.ts'

/** Our names of Vendel's own collections. A table that only has the name of one of ours is not ours. */
const OURS: Readonly<Record<string, string>> = {
  users: 'users',
  contacts: 'contacts',
  contact_groups: 'contact_groups',
  sms_templates: 'sms_templates',
  sms_messages: 'sms_messages',
  api_keys: 'api_keys',
  sms_devices: 'devices',
  webhook_configs: 'webhooks',
}
const NEEDED = ['sms_devices', 'webhook_configs']

type LastText = Record<'id' | 'name' | 'body' | 'at' | 'type' | 'device', string>

/** Makes a conversation for each phone number that has sent messages. */
const makeConversations = (db: Db) =>
  queries(db, 'planned')
    .insertInto('conversations')
    .columns([
      ...([
        'id',
        'user',
        'number',
        'name',
        'last_text',
        'last_at',
        'last_type',
        'last_message',
      ] as const),
      ...(['device', 'created', 'updated'] as const),
    ])
    .expression(({ selectFrom }) =>
      selectFrom(
        selectFrom('sms_messages')
          .select(['user', 'from'])
          .distinct()
          .where('message_type', '=', sql.lit('incoming'))
          .where('from', '<>', sql.lit(''))
          .as('m'),
      )
        .crossJoinLateral(sql<LastText>`sms_conversation_last(m."user", m."from")`.as('l'))
        .select([sql<string>`pb_new_id()`.as('id'), 'm.user', 'm.from as number', 'l.name'])
        .select([
          'l.body as last_text',
          'l.at as last_at',
          'l.type as last_type',
          'l.id as last_message',
        ])
        .select(['l.device', 'l.at as created', 'l.at as updated']),
    )
    .execute()

/** Imports Vendel's data directory. Of collections unknown here, users may only read their own records. */
export const importVendel = (
  store: CatalogStore,
  extensions: Extensions,
  folder: string,
  key: string,
  progress: ReportProgress,
) =>
  importFolder(store, extensions, folder, progress, async (work) => {
    const { draft, data, report } = work
    const raws = work.raws.filter(({ type }) => type !== 'view')
    if (!NEEDED.every((table) => raws.some(({ name }) => name === table)))
      throw new UserError(
        `${folder} is not a data directory of Vendel. Import other PocketBase directories with --pocketbase.`,
      )
    const open = makeDecrypter(key)
    requireKey(
      raws.values().flatMap(({ name }) => data.rows(name)),
      open,
    )

    const own = draft.catalog.all.filter((one) => one.system || draft.catalog.isBuiltIn(one))
    const ownOf = ({ name }: ExportedCollection) =>
      own.find((one) => one.name === (one.system ? name : OURS[name]))
    const ids = new Map(raws.map((raw) => [raw.id, ownOf(raw)?.id ?? raw.id]))
    const others = raws.filter((raw) => !ownOf(raw)).map((raw) => replaceRules(raw, ids))
    const collections = await importPocketBaseTables(draft, others, report)
    const { id, name, type, oauth2 } = raws.find(({ id }) => id === USERS_ID)!
    const providers = (oauth2 as { providers?: unknown[] | null } | undefined)?.providers ?? []
    const signIn = { id, name, type, oauth2: { enabled: providers.length > 0, providers } }
    await importOneCollection(draft, signIn, report)

    const counts = new Map<string, number>()
    const count = (sentence: string) => void counts.set(sentence, (counts.get(sentence) ?? 0) + 1)
    const quotas = readMonthlyTexts(data)
    const brought = new Set<Collection>()
    let records = 0
    for (const raw of raws) {
      const join = raw.name === 'contacts' ? joinContacts(data.rows('contacts')) : undefined
      const convert = (stored: StoredRow): StoredRow | undefined => {
        const kept = join ? join(stored) : stored
        if (!kept)
          return void count('contacts: # had the number of an earlier contact. They are one here.')
        const row = { ...kept, monthly_quota: quotas.get(stored.id) }
        for (const column of listSealedColumns(row)) {
          // a text that cannot be decrypted stays as it is stored, as in Vendel
          const text = open(readSqliteText(stored[column]))
          if (text === undefined)
            count(`${raw.name}: # had a text with another key. It is still encrypted.`)
          else Object.assign(row, { [column]: text })
        }
        return { ...row, ...CONVERT[raw.name]?.(row, count) }
      }
      const collection = ownOf(raw) ?? draft.catalog.find(raw.id)!
      brought.add(collection)
      records += await importRecords(work, collection, raw.name, convert)
    }
    records -= await dropLostRelations(draft, work.leftOut, [...brought])
    await makeConversations(draft.db)
    for (const [sentence, n] of counts) report(sentence.replace('#', () => String(n)))
    const names = collections.map(({ name }) => name).join(', ')
    report(`${names}: kept as they were. Nothing here uses them, their users may read their own.`)
    report('scheduled_sms: none goes out. Send them as campaigns.')
    report('settings: left out. Vendel takes them from its environment.')
    return { collections, records }
  })

/** Gives a collection of Vendel new rules. `ids`: the ids of our collections by their ids in Vendel. */
function replaceRules(
  raw: ExportedCollection,
  ids: ReadonlyMap<string, string>,
): ExportedCollection {
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
function readMonthlyTexts(data: PocketBaseData): ReadonlyMap<unknown, StoredRow[string]> {
  const plans = new Map(
    [...data.rows('user_plans')].map((plan) => [plan.id, plan.max_sms_per_month]),
  )
  return new Map([...data.rows('user_quotas')].map(({ user, plan }) => [user, plans.get(plan!)]))
}

/**
 * Joins Vendel's contacts of a user whose numbers are one number here. Returns a function that changes the
 * first of them, and returns undefined for the others.
 */
function joinContacts(rows: Iterable<StoredRow>): (row: StoredRow) => StoredRow | undefined {
  const firsts = new Map<string, string>()
  const others = new Map<string, StoredRow[]>()
  const joined = new Set<string>()
  for (const row of rows) {
    const id = readSqliteText(row.id)
    const key = `${readSqliteText(row.user)} ${readSqliteText(toE164(row.phone_number))}`
    const first = firsts.get(key)
    if (first === undefined) firsts.set(key, id)
    else {
      joined.add(id)
      others.set(first, [...(others.get(first) ?? []), row])
    }
  }
  return (row) => {
    const id = readSqliteText(row.id)
    if (joined.has(id)) return undefined
    return (others.get(id) ?? []).reduce(joinContactRows, row)
  }
}

const joinContactRows = (row: StoredRow, other: StoredRow): StoredRow => ({
  ...row,
  name: readSqliteText(row.name) || readSqliteText(other.name),
  groups: JSON.stringify([
    ...new Set([...parseRelationIds(row.groups), ...parseRelationIds(other.groups)]),
  ]),
  notes: [...new Set([readSqliteText(row.notes), readSqliteText(other.notes)])]
    .filter(Boolean)
    .join('\n'),
})

function parseRelationIds(stored: StoredRow[string]): unknown[] {
  const ids = parseJson(readSqliteText(stored))
  return Array.isArray(ids) ? ids : [readSqliteText(stored)].filter(Boolean)
}
