import type { Extension } from '../../records/extension.ts'

/** Gives a device's new number to its line, if it has only one. */
const RENUMBER = `
with changed as (
  update lines l set number = $3, updated = pb_text(now())
  where l.device = $1 and l.number = $2 and not exists (
    select from lines o where o.device = $1 and o.id <> l.id)
  returning l.id
)
select sms_lines_changed('update', array_agg(id)) from changed having count(*) > 0`

/** Devices. Clients cannot set `last_seen`; only superusers may change a device's kind. */
export const devicesExtension: Extension = {
  grantsAccess: true,
  setByServer: ['last_seen'],
  async beforeCreate(_store, values) {
    values.last_seen = ''
  },
  async beforeUpdate({ db }, values, old, { auth }) {
    values.last_seen = old.last_seen!
    if (!auth?.isSuperuser) values.platform = old.platform!
    if (values.phone !== old.phone)
      await db.query(RENUMBER, [old.id, old.phone, values.phone], 'sms renumber line')
  },
}
