import { sql } from 'kysely'
import { completeAddresses } from '../../engine/auth/allowed-addresses.ts'
import type { Value } from '../../engine/fields/field.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { readPrefix } from '../../portable/phone/number-patterns.ts'
import { completeList, completeOwnNumber } from '../base/complete-numbers.ts'
import { completeSimCards } from '../base/complete-sim-numbers.ts'
import { checkPrices, requireRoomForPrices } from './check-prices.ts'

/** Gives a device's new number to its line, if the device has only one line. */
const renumberLines = (db: Db, device: string, old: string, number: string) =>
  queries(db)
    .with('changed', (query) =>
      query
        .updateTable('lines as l')
        .set({ number, updated: NOW })
        .where('l.device', '=', device)
        .where('l.number', '=', old)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('lines as o')
                .where('o.device', '=', device)
                .whereRef('o.id', '<>', 'l.id'),
            ),
          ),
        )
        .returning('l.id'),
    )
    .selectFrom('changed')
    .select(sql`sms_lines_changed('update', array_agg(id))`.as('noted'))
    .having(({ fn }) => fn.countAll<number>(), '>', 0)
    .execute()

/** Stores the numbers of SIMs in E.164: the function sms_sim_list takes no others. */
function completeReport(values: Record<string, Value>): void {
  const sims: unknown = JSON.parse(String(values.sims ?? 'null'))
  if (Array.isArray(sims)) values.sims = JSON.stringify(completeSimCards(sims))
}

/** Rules of devices. Clients cannot set `last_seen`; only superusers may change `platform`. */
export const devicesExtension: Extension = {
  grantsAccess: true,
  setByServer: ['last_seen'],
  async beforeCreate(store, values) {
    await completeOwnNumber(store, values, 'phone')
    completeReport(values)
    completeAddresses(values)
    values.last_seen = ''
  },
  async beforeUpdate(store, values, old, { auth }) {
    const { db } = store
    await completeOwnNumber(store, values, 'phone', old)
    if (values.sims !== old.sims) completeReport(values)
    completeAddresses(values)
    values.last_seen = old.last_seen!
    if (!auth?.isSuperuser) values.platform = old.platform!
    if (values.phone !== old.phone)
      await renumberLines(db, String(old.id), String(old.phone), String(values.phone))
  },
}

export const linesExtension: Extension = {
  keepsReferences: true,
  check: checkPrices,
  async beforeCreate(store, values) {
    await completeOwnNumber(store, values, 'number')
    await completeList(store, values, 'prefixes', readPrefix)
    checkPrices(values)
  },
  async beforeUpdate(store, values, old) {
    await completeOwnNumber(store, values, 'number', old)
    await completeList(store, values, 'prefixes', readPrefix, old)
    checkPrices(values)
    await requireRoomForPrices(store, values, old)
  },
}
