import type { Ticket } from '../../admission/ticket.ts'
import type { Catalog } from '../../collections/catalog.ts'
import type { Collection, Rule } from '../../collections/collection.ts'
import { ApiError, RetryLater } from '../../errors.ts'
import { compile, prepare } from '../../filter/compile/compile.ts'
import type { CompiledFilter, Predicate } from '../../filter/compile/compiled-filter.ts'
import type { FilterQuery } from '../../filter/compile/filter-query.ts'
import { FilterError } from '../../filter/errors.ts'
import type { RequestInfo } from '../../request/request.ts'
import { isLocal } from './local-test.ts'

/**
 * Whether a record may be seen: always (even a deleted one), never, or if a condition holds. `question` is
 * what the database decides where `testLocally` cannot.
 */
export type Access =
  | { readonly kind: 'always' | 'never' }
  | {
      readonly kind: 'if'
      readonly condition: Predicate
      readonly params: readonly unknown[]
      readonly question: CompiledFilter | undefined
    }

/** Seen by all. */
export const ALWAYS: Access = { kind: 'always' }
const NEVER: Access = { kind: 'never' }

/**
 * Which records of a collection pass a rule. PocketBase: apis/realtime.go, realtimeCanAccessRecord
 */
export const accessBy = (
  catalog: Catalog,
  collection: Collection,
  rule: Rule,
  request: RequestInfo,
): Access => accessMaker(catalog, collection, rule, '', request)()

/**
 * The same for a rule and a client's filter, as a function to call for each change: compiled once on the
 * ticket, and bound each time if it names the time. An invalid filter, or one that uses fields that the
 * client may not, passes none.
 */
export function accessMaker(
  catalog: Catalog,
  collection: Collection,
  rule: Rule,
  filter: string,
  request: RequestInfo,
  ticket?: Ticket,
): () => Access {
  const bound = request.auth?.isSuperuser ? '' : rule
  if (bound === null) return () => NEVER
  if (bound === '' && filter === '') return () => ALWAYS
  const question: FilterQuery = { collection, rule: bound, filter, sort: '', request, ticket }
  return unlessInvalid(
    () => {
      if (dependsOnTime(`${bound} ${filter}`)) {
        const bind = prepare(catalog, question)
        return () => unlessInvalid(() => toAccess(bind()), NEVER)
      }
      const access = toAccess(compile(catalog, question))
      return () => access
    },
    () => NEVER,
  )
}

/** The result of a rule or filter that names the time changes with it. */
const dependsOnTime = (text: string) => /@(?!request\.|collection\.)|\bnow\b/i.test(text)

function toAccess(question: CompiledFilter): Access {
  if (question.never) return NEVER
  const { params, structure } = question
  const { condition } = structure
  return { kind: 'if', condition, params, question: isLocal(condition) ? undefined : question }
}

function unlessInvalid<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof RetryLater || !(error instanceof FilterError || error instanceof ApiError))
      throw error
    return otherwise
  }
}
