import type { Store } from '../../collections/catalog.ts'
import { type ApiError, badRequest } from '../../errors.ts'
import type { CandidateCheck } from '../../rules/access.ts'
import type { FieldErrors } from '../input/prepare.ts'
import { unlessRuleFault } from '../render/render.ts'
import type { Checked } from './check-values.ts'
import type { Write } from './prepare-write.ts'

export const isEmptyObject = (errors: object) => Object.keys(errors).length === 0

/** The error of a refused record. Names no field if the rule fails; late conditions only without others. */
export async function explainRejection(
  { store, failure: message, guard }: Write,
  { errors, conditions, parameters }: Checked,
): Promise<ApiError> {
  const asked = [guard.condition || 'true', ...conditions.map(({ sql }) => sql)]
  if (asked.length === 1 && !guard.condition) return badRequest(message, sorted(errors))
  const [allowed, ...held] = await ask(store, asked, parameters.values)
  if (!allowed) return badRequest(message)
  const failed = conditions.filter((_, i) => !held[i])
  const early = { ...errors, ...errorsOf(failed.filter(({ late }) => !late)) }
  return badRequest(message, isEmptyObject(early) ? errorsOf(failed) : sorted(early))
}

const sorted = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).sort(([a], [b]) => (a < b ? -1 : 1)))

const errorsOf = (failed: Checked['conditions']): FieldErrors =>
  Object.fromEntries(failed.map(({ field, error }) => [field, error]))

/** Whether a create rule holds; queries only if it has a condition. `guard` undefined: it cannot hold. */
export async function ruleHolds(store: Store, guard: CandidateCheck | undefined): Promise<boolean> {
  if (!guard?.condition) return guard !== undefined
  const [allowed] = await ask(store, [guard.condition], guard.params)
  return allowed === true
}

/** Tests conditions in one query. Returns [] if one of them fails with an SQL error. */
async function ask(store: Store, asked: readonly string[], params: readonly unknown[]): Promise<boolean[]> {
  const tested = await unlessRuleFault(store.db.query(`select ${asked.join(', ')}`, params), undefined)
  return tested?.rows[0]?.map((verdict) => verdict === true) ?? []
}
