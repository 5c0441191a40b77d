import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'

/** By what a send may require consent: its template ('' for none), its groups, or by itself. */
export interface ConsentScope {
  readonly template: string
  readonly groups: readonly string[]
  readonly isRequired?: boolean | undefined
}

const requiredSql = (user: string, { template, groups, isRequired = false }: ConsentScope) =>
  sql<boolean>`(${isRequired}::boolean or consent_required(${user}, ${template}, ${groups}::text[]))`

/** SQL: those of these numbers without the consent that a send requires; empty if it requires none. */
export const missingSql = (
  user: string,
  scope: ConsentScope,
  phones: readonly string[],
): RawBuilder<string[]> =>
  sql`case when ${requiredSql(user, scope)}
    then consent_missing(${user}, ${phones}::text[], ${scope.groups}::text[]) else '{}' end`

/** Whether a send requires consent, and those of its recipients who have not given it. */
export async function consentOf(
  db: Db,
  user: string,
  scope: ConsentScope,
  phones: readonly string[],
): Promise<{ readonly isRequired: boolean; readonly missing: ReadonlySet<string> }> {
  if (!scope.isRequired && scope.template === '' && scope.groups.length === 0)
    return { isRequired: false, missing: new Set() }
  const { isRequired, missing } = await queries(db)
    .selectNoFrom([requiredSql(user, scope).as('isRequired'), missingSql(user, scope, phones).as('missing')])
    .executeTakeFirstOrThrow()
  return { isRequired, missing: new Set(missing) }
}
