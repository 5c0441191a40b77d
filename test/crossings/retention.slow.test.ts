import { deleteOldHookCalls } from '../../src/gateway/hooks/hourly-summary.ts'
import { endOldMessages } from '../../src/gateway/retention/end-old-messages.ts'
import { collectExtensions } from '../../src/main/features.ts'
import { tablesWith } from '../support/database/dump.ts'
import { must } from '../support/server/server-with-devices.ts'
import { eachWay } from './each-way.ts'
import { handOut, nextNumber, type Shop, sendOne, startCrossings } from './ways-in.ts'

// The words of a text are deleted after the days that its account has chosen, wherever a way has noted them.

const at = await startCrossings()
const { store } = at.server.server.services
const extensions = collectExtensions({ webhookAllowPrivate: true })
const [KEEP, AGE] = [10, 11]
/** The change log, from which the server deletes entries after minutes. */
const SHORT_LIVED = '_changes'

/** Reports what has left, and lets all that the account has be some days old. Returns the words that left. */
async function growOld(shop: Shop): Promise<string[]> {
  const items = await handOut(at, shop)
  if (items.length > 0)
    await must(shop.phone, 'POST', '/api/devices/report', {
      items: items.map(({ id, attempt }) => ({ id, attempt, status: 'sent' })),
    })
  const { user } = shop
  await at.query(`update campaigns set status = 'done' where "user" = $1`, [user.id])
  for (const [table, columns] of Object.entries({
    sms_messages: ['created', 'updated'],
    campaigns: ['created', 'updated'],
    verifications: ['created', 'updated'],
    hook_calls: ['created'],
  }))
    await at.query(
      `update ${table} set ${columns.map((name) => `${name} = pb_text(now() - make_interval(days => $2::int))`)}
      where "user" = $1`,
      [user.id, AGE],
    )
  return items.map(({ body }) => body)
}

test.each(eachWay('retention'))(
  'of a text by $title no words are left after the days of its account',
  async ({ way }) => {
    const shop = await at.makeShop()
    await must(shop.user, 'POST', '/api/collections/user_settings/records', {
      user: shop.user.id,
      keep_incoming: KEEP,
      keep_outgoing: KEEP,
    })
    const to = nextNumber()
    // a conversation, which then shows the text as its last
    await must(shop.phone, 'POST', '/api/devices/incoming', {
      items: [{ from: to, body: 'Hello', received_at: new Date().toISOString() }],
    })
    const text = await sendOne(at, shop, way, { to })
    const bodies = await growOld(shop)
    await endOldMessages(store, extensions, { mode: 'redact', days: 0 })
    await deleteOldHookCalls(store.db, 30)
    const left = await tablesWith(store.db, [text.words, ...bodies])
    const isKept = (table: string) => table === SHORT_LIVED || table === way.wordsStayIn
    expect(left.filter((table) => !isKept(table))).toEqual([])
    expect(await at.query('select name from _files where record = $1', [text.stored.id])).toEqual(
      [],
    )
  },
)
