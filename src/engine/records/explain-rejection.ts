import { type ApiError, badRequest } from '../../platform/api-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { CandidateRule } from './check-rules.ts'
import { catchRuleFault } from './check-rules.ts'
import type { FieldErrors } from './prepare.ts'
import type { Checked, Write } from './write-in-progress.ts'

export const isEmptyObject = (errors: object) => Object.keys(errors).length === 0

/**
 * The 400 for a refused record. Names no fields if the rule fails. Has the errors of conditions with `late`
 * only if there are no other errors.
 */
export async function explainRejection(
  { store, failure: message, guard }: Write,
  { errors, conditions, parameters }: Checked,
): Promise<ApiError> {
  const asked = [guard.condition || 'true', ...conditions.map(({ sql }) => sql)]
  if (asked.length === 1 && !guard.condition) return badRequest(message, sortErrors(errors))
  const [allowed, ...held] = await testConditions(store, asked, parameters.values)
  if (!allowed) return badRequest(message)
  const failed = conditions.filter((_, i) => !held[i])
  const early = { ...errors, ...toFieldErrors(failed.filter(({ late }) => !late)) }
  return badRequest(message, isEmptyObject(early) ? toFieldErrors(failed) : sortErrors(early))
}

const sortErrors = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).sort(([a], [b]) => (a < b ? -1 : 1)))

const toFieldErrors = (failed: Checked['conditions']): FieldErrors =>
  Object.fromEntries(failed.map(({ field, error }) => [field, error]))

/** Whether a create rule holds; false without a `guard`. Makes no query if the rule always holds. */
export async function testRule(store: Store, guard: CandidateRule | undefined): Promise<boolean> {
  if (!guard?.condition) return guard !== undefined
  const [allowed] = await testConditions(store, [guard.condition], guard.params)
  return allowed === true
}

/** Tests SQL conditions in one query. Returns [] if one of them causes an SQL error. */
async function testConditions(
  store: Store,
  asked: readonly string[],
  params: readonly unknown[],
): Promise<boolean[]> {
  const tested = await catchRuleFault(
    store.db.query(`select ${asked.join(', ')}`, params),
    undefined,
  )
  return tested?.rows[0]?.map((verdict) => verdict === true) ?? []
}
