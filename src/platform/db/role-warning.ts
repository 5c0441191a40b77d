import type { Db } from './open.ts'

const RIGHTS = `
select r.rolname,
  array(select v.said from (values
    (r.rolsuper, 'is a superuser'),
    (r.rolcreaterole, 'may create roles (CREATEROLE)'),
    (r.rolreplication, 'may copy the whole database server (REPLICATION)'),
    (r.rolbypassrls, 'bypasses row security (BYPASSRLS)'),
    (pg_has_role(r.oid, 'pg_read_server_files', 'member'), 'may read files of the database server'),
    (pg_has_role(r.oid, 'pg_write_server_files', 'member'), 'may write files of the database server'),
    (pg_has_role(r.oid, 'pg_execute_server_program', 'member'), 'may run programs on the database server')
  ) v(applies, said) where v.applies)
from pg_roles r where r.rolname = current_user`

/** A warning if the database role has rights that the server does not need; undefined for a plain role. */
export async function findRoleWarning(db: Db): Promise<string | undefined> {
  const [row] = (await db.query(RIGHTS)).rows as [string, string[]][]
  if (!row || row[1].length === 0) return undefined
  const [name, rights] = row
  // a superuser has all other rights
  const said = rights[0] === 'is a superuser' ? rights.slice(0, 1) : rights
  return `The database role "${name}" ${said.join(', ')}. The server does not need that: use a plain role that owns its database (docs/deploy.md, "The database role").`
}
