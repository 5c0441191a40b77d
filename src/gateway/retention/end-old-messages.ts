import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import type { Config } from '../../platform/config.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { writeDaysAgo, writePeriodsSql } from '../base/retention-periods.ts'
import { endMessages, redactPayloads } from './end-messages.ts'
import { HAS_CONTENT_SQL, type Mode, makeRetentionIndex } from './make-retention-index.ts'
import { MESSAGES_PER_BATCH, runInBatches, selectOldTexts } from './run-in-batches.ts'

/**
 * Redacts or deletes (`mode`) messages that ended longer ago than `days` or the account's own days say, and
 * deletes old files. Works in batches until done or `signal` aborts. Keeps usage counts and does not notify
 * subscribers. Returns the number of messages, 0 also while another node does it.
 */
export async function endOldMessages(
  store: Store,
  extensions: Extensions,
  { mode, days }: Config['retention'],
  signal?: AbortSignal,
): Promise<number> {
  await queries(store.db)
    .deleteFrom('_texts_forgotten')
    .where('forgotten_at', '<', sql<Date>`now() - interval '90 days'`)
    .execute()
  let total = 0
  for await (const accounts of readAccountPages(store.db, days)) {
    if (signal?.aborted || !(await makeRetentionIndex(store.db, mode))) break
    await redactCampaigns(store.db, days, accounts)
    total += await runInBatches(store, LOCKS.retention, signal, async (inside) => {
      const old = await selectOldest(inside.db, mode, days, accounts)
      await endMessages(inside, extensions, mode, old)
      return old.length
    })
    await runInBatches(store, LOCKS.retention, signal, ({ db }) => deleteFiles(db, days, accounts))
  }
  return total
}

/** Campaigns that ended longer ago than a period of their account says. */
const updateOldCampaigns = (
  db: Db,
  days: number,
  accounts: readonly string[],
  period: 'outgoing' | 'files',
) =>
  queries(db)
    .updateTable('campaigns as c')
    .where('c.user', '=', matchAny(accounts))
    .where('status', 'in', ['done', 'canceled', 'failed'])
    .where('updated', '<', ({ selectFrom, ref }) =>
      selectFrom(writePeriodsSql(ref('c.user'), days).as('p')).select(
        writeDaysAgo(sql.ref(`p.${period}`)).as('old'),
      ),
    )

/** Deletes texts and phone numbers of campaigns as sent texts, and files as those of texts. */
async function redactCampaigns(db: Db, days: number, accounts: readonly string[]): Promise<void> {
  await updateOldCampaigns(db, days, accounts, 'outgoing')
    .set({ body: '', variables: 'null', recipients: '[]', without_consent: '[]' })
    .set({ subject: '', attachments: [] })
    .where(sql<boolean>`(body <> '' or recipients::text <> '[]' or attachments <> '{}')`)
    .execute()
  await updateOldCampaigns(db, days, accounts, 'files')
    .set({ attachments: [] })
    .where(sql<boolean>`attachments <> '{}'`)
    .execute()
}

/** The oldest messages to end. Messages that were changed in these days are kept, however old they are. */
async function selectOldest(db: Db, mode: Mode, days: number, accounts: readonly string[]) {
  const kinds = sql<{ type: 'incoming' | 'outgoing'; days: number }>`
    (values ('incoming', p.incoming), ('outgoing', p.outgoing))`
  const which = sql<boolean>`m."user" = a.id and m.message_type = k.type and ${sql.raw(HAS_CONTENT_SQL[mode])}`
  const old = await queries(db, 'planned')
    .selectFrom(writeAccountsSql(accounts))
    .crossJoinLateral(({ ref }) => writePeriodsSql(ref('a.id'), days).as('p'))
    .crossJoinLateral(kinds.as<'k'>(sql`k(type, days)`))
    .crossJoinLateral(selectOldTexts(which, 'k.days'))
    .select('old.id')
    .limit(sql.lit(MESSAGES_PER_BATCH))
    .execute()
  return old.map(({ id }) => id)
}

/** Deletes the files of old messages, and keeps their texts. Returns the number of messages. */
export async function deleteFiles(
  db: Db,
  days: number,
  accounts: readonly string[],
): Promise<number> {
  const emptied = await queries(db, 'planned')
    .with('found', (query) =>
      query
        .selectFrom(writeAccountsSql(accounts))
        .crossJoinLateral(({ ref }) => writePeriodsSql(ref('a.id'), days).as('p'))
        .crossJoinLateral(selectOldTexts(sql`m."user" = a.id and m.attachments <> '{}'`, 'p.files'))
        .select('old.id')
        .limit(sql.lit(MESSAGES_PER_BATCH)),
    )
    .updateTable('sms_messages as m')
    .from('found')
    .set({ attachments: [] })
    .whereRef('m.id', '=', 'found.id')
    .returning('m.id')
    .execute()
  const ids = emptied.map(({ id }) => id)
  if (ids.length > 0) await redactPayloads(db, ids, { attachments: [] })
  return ids.length
}

/** SQL: a list of accounts, as the table `a`. */
const writeAccountsSql = (accounts: readonly string[]) =>
  sql<{ id: string }>`(select unnest(${accounts}::text[]))`.as<'a'>(sql`a(id)`)

const ACCOUNTS = 1_000

/** Up to 1,000 accounts that have a period for texts or files, in the order of their ids, behind `after`. */
async function loadAccountsAfter(db: Db, after: string, serverDays: number): Promise<string[]> {
  const found = await queries(db)
    .selectFrom('users as u')
    .select('u.id')
    .where('u.id', '>', after)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb(sql<number>`${serverDays}::float8`, '>', 0),
        exists(
          selectFrom('user_settings as s')
            .whereRef('s.user', '=', 'u.id')
            .where(sql<boolean>`(s.keep_incoming > 0 or s.keep_outgoing > 0 or s.keep_files > 0)`),
        ),
      ]),
    )
    .orderBy('u.id')
    .limit(sql.lit(ACCOUNTS))
    .execute()
  return found.map(({ id }) => id)
}

async function* readAccountPages(db: Db, serverDays: number): AsyncGenerator<readonly string[]> {
  let page: string[] = []
  do {
    page = await loadAccountsAfter(db, page.at(-1) ?? '', serverDays)
    if (page.length > 0) yield page
  } while (page.length === ACCOUNTS)
}
