import type { Db } from '../db/open.ts'

const isOurs = (catalog: string, oid: string) =>
  `not exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e')`

/**
 * Drops everything in the current schema except extensions. First locks all tables, by name, to wait for
 * their users. Drops all objects of a kind in one statement, as they may depend on each other.
 */
const CLEAR = `do $$
declare
  ours constant oid := current_schema()::regnamespace;
  statement text;
begin
  for statement in
    select format('lock table %s in access exclusive mode', string_agg(c.oid::regclass::text, ', ' order by c.relname collate "C"))
    from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = ours and ${isOurs('pg_class', 'c.oid')}
    having count(*) > 0
  loop execute statement; end loop;
  for statement in
    select format('drop %s if exists %s cascade', k.words, string_agg(c.oid::regclass::text, ', '))
    from pg_class c join (values ('v', 1, 'view'), ('m', 2, 'materialized view'), ('f', 3, 'foreign table'), ('r', 4, 'table'),
      ('p', 4, 'table'), ('S', 5, 'sequence')) as k (kind, place, words) on k.kind = c.relkind
    where c.relnamespace = ours and ${isOurs('pg_class', 'c.oid')} group by k.words, k.place order by k.place
  loop execute statement; end loop;
  for statement in
    select format('drop routine if exists %s cascade', string_agg(p.oid::regprocedure::text, ', '))
    from pg_proc p where p.pronamespace = ours and ${isOurs('pg_proc', 'p.oid')} having count(*) > 0
  loop execute statement; end loop;
  for statement in
    select format('drop type if exists %s cascade', string_agg(t.oid::regtype::text, ', '))
    from pg_type t left join pg_class c on c.oid = t.typrelid
    where t.typnamespace = ours and coalesce(c.relkind, 'c') = 'c' and t.typelem = 0 and ${isOurs('pg_type', 't.oid')}
    having count(*) > 0
  loop execute statement; end loop;
end $$`

/** Drops the whole installation in a database, in the transaction `tx`. */
export async function dropInstallation(tx: Db): Promise<void> {
  await tx.script(`set local client_min_messages = warning; ${CLEAR}`)
}
