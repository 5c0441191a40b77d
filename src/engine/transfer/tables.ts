import type { Db } from '../../platform/db/open.ts'

interface Column {
  readonly name: string
  /** The type in SQL, such as `text`, `pb_date` or `text[]`. */
  readonly type: string
  readonly sequence: string | null
}

export interface TransferTable {
  readonly name: string
  /** Sorted by name: databases may order columns differently. */
  readonly columns: readonly Column[]
}

/**
 * Tables that are not copied. Their rows are valid in one database only: they describe running processes, or
 * refer to transactions, tables, functions or migrations. Codes and challenges that were used must not count
 * again. Rows of sms_messages_brief are computed again.
 */
export const NOT_TRANSFERRED: ReadonlySet<string> = new Set([
  '_changes',
  '_functions',
  '_listeners',
  '_schema',
  '_subscribing',
  '_verify_codes',
  'auth_challenges',
  'backup_state',
  'device_streams',
  'sms_messages_brief',
  'sms_totals',
])

/** A text of a table's columns and types. Tables with equal texts accept each other's rows. */
export const describeColumns = ({
  columns,
}: {
  readonly columns: readonly Pick<Column, 'name' | 'type'>[]
}): string => JSON.stringify(columns.map(({ name, type }) => [name, type]))

/** SQL: whether an object of a system catalog was not created by an extension. */
export const writeNotOfExtension = (catalog: string, oid: string) =>
  `not exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e')`

const TABLES = `
select c.relname, json_agg(json_build_object(
  'name', a.attname,
  'type', format_type(a.atttypid, a.atttypmod),
  'sequence', pg_get_serial_sequence(format('%I', c.relname), a.attname)
) order by a.attname collate "C")
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and ${writeNotOfExtension('pg_class', 'c.oid')}
group by c.relname order by c.relname collate "C"`

export async function loadTables(db: Db): Promise<TransferTable[]> {
  const { rows } = await db.query(TABLES)
  return rows.map(([name, columns]) => ({
    name: String(name),
    columns: JSON.parse(String(columns)),
  }))
}
