import { type ErrorData, makeFieldError } from '../../platform/api-errors.ts'
import { withSavepoint } from '../../platform/db/savepoint.ts'
import {
  checkAllowed,
  checkLength,
  checkNoVia,
  checkNull,
  checkRequired,
  collectProblems,
  isWord,
  type Problem,
  runChecks,
} from '../fields/value-checks.ts'
import { Catalog, InvalidCollection, type Store } from './catalog.ts'
import type { Collection, Rule, RuleName } from './collection.ts'
import { findBuiltInProblem } from './definition/built-in-collections.ts'
import { explainSqliteError } from './from-sqlite/sqlite-fault.ts'
import { toTableName } from './sql-names.ts'
import { validateAuth } from './validate-auth.ts'
import { validateFields } from './validate-fields.ts'
import { validateIndexes } from './validate-indexes.ts'
import { isQueryFault, readQueryAndSample } from './views/view-query.ts'
import { ViewQueryError } from './views/view-query-error.ts'

export type RuleCheck = (
  catalog: Catalog,
  collection: Collection,
  rule: string,
) => string | undefined

const TYPES = ['base', 'auth', 'view']
const RULES = ['listRule', 'viewRule', 'createRule', 'updateRule', 'deleteRule'] as const
const MAX_VIEW_ERROR = 500

interface CheckedCollection {
  readonly store: Store
  readonly next: Collection
  readonly old: Collection | undefined
  readonly checkRule: RuleCheck
}

function findIdProblem({ store, next, old }: CheckedCollection): Problem {
  if (old) return undefined
  const taken = () =>
    store.catalog.all.some(({ id }) => id === next.id)
      ? makeFieldError(
          'validation_invalid_or_existing_id',
          'The model id is invalid or already exists.',
        )
      : undefined
  return runChecks(next.id, checkRequired, checkLength(1, 100), isWord, taken)
}

async function findNameProblem(subject: CheckedCollection): Promise<Problem> {
  const { next, old } = subject
  const systemName = () =>
    old?.system && old.name !== next.name
      ? makeFieldError(
          'validation_collection_system_name_change',
          'System collection name cannot be changed.',
        )
      : undefined
  return (
    runChecks(next.name, checkRequired, checkLength(1, 255), checkNoVia, isWord, systemName) ??
    (await findTakenName(subject))
  )
}

async function findTakenName({ store, next, old }: CheckedCollection): Promise<Problem> {
  const stored = store.catalog.all.find(({ id }) => id === next.id)
  const others = store.catalog.all.filter(({ id }) => id !== old?.id)
  if (others.some(({ name }) => name.toLowerCase() === next.name.toLowerCase())) {
    const text = 'Collection name must be unique (case insensitive).'
    return makeFieldError('validation_collection_name_exists', text)
  }
  if (others.some(({ id }) => id === next.name && id !== next.id)) {
    const text = 'The name must not match an existing collection id.'
    return makeFieldError('validation_collection_name_id_duplicate', text)
  }
  if (old?.name === next.name) return undefined
  const { rows } = await store.db.query(
    `select from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'v', 'p')
     and lower(relname) = lower($1)`,
    [toTableName(next)],
  )
  // an import saves first and validates later, so the table found may be the collection's own
  const ours = stored && toTableName(stored).toLowerCase() === toTableName(next).toLowerCase()
  const text = "The name shouldn't match with an existing internal table."
  return rows.length > 0 && !ours
    ? makeFieldError('validation_collection_name_invalid', text)
    : undefined
}

const findSystemProblem = ({ next, old }: CheckedCollection): Problem =>
  old && old.system !== next.system
    ? makeFieldError(
        'validation_collection_system_flag_change',
        'System collection state cannot be changed.',
      )
    : undefined

const findTypeProblem = ({ next, old }: CheckedCollection): Problem =>
  runChecks(next.type, checkRequired, checkAllowed(TYPES), () =>
    old && old.type !== next.type
      ? makeFieldError('validation_collection_type_change', 'Collection type cannot be changed.')
      : undefined,
  )

/** The catalog for checking rules: `next` and all stored collections, even the old version of `next`. */
function makeNextCatalog({ all, builtIn }: Catalog, next: Collection): Catalog {
  const isIt = ({ id }: Collection) => id === next.id
  return new Catalog([...all.filter(isIt), ...all.filter((one) => !isIt(one)), next], builtIn)
}

function findRuleProblem(
  { store, next, old, checkRule }: CheckedCollection,
  rule: Rule,
  before: Rule | undefined,
): Problem {
  const cause = rule ? checkRule(makeNextCatalog(store.catalog, next), next, rule) : undefined
  if (cause !== undefined)
    return makeFieldError('validation_invalid_rule', `Invalid rule. Raw error: ${cause}`)
  return old?.system && rule !== before
    ? makeFieldError(
        'validation_collection_system_rule_change',
        'System collection API rule cannot be changed.',
      )
    : undefined
}

function findApiRuleProblem(subject: CheckedCollection, name: RuleName): Problem {
  const { next, old } = subject
  const writes = name !== 'listRule' && name !== 'viewRule'
  return (
    (next.type === 'view' && writes ? checkNull(next[name]) : undefined) ??
    findRuleProblem(subject, next[name], old?.[name])
  )
}

function findAuthProblem(subject: CheckedCollection): ErrorData | undefined {
  const { next, old } = subject
  if (next.type !== 'auth') return undefined
  const before = old?.type === 'auth' ? old : undefined
  return validateAuth(next, (rule, key) => {
    const was = key === 'mfa' ? before?.mfa.rule : before?.[key]
    return findRuleProblem(subject, rule, was)
  })
}

async function addViewFields(subject: CheckedCollection) {
  const { store, next } = subject
  if (next.type !== 'view') return { subject, viewQuery: undefined }
  const withFields = (fields: Collection['fields']) => ({ ...subject, next: { ...next, fields } })
  if (next.viewQuery === '') return { subject: withFields([]), viewQuery: checkRequired('') }
  try {
    const { fields } = await withSavepoint(store.db, () =>
      readQueryAndSample(store, next.viewQuery),
    )
    return { subject: withFields([...fields]), viewQuery: undefined }
  } catch (error) {
    if (!isQueryFault(error)) throw error
    const cause = explainSqliteError(error).slice(0, MAX_VIEW_ERROR)
    const viewQuery = makeFieldError('validation_invalid_view_query', `Invalid query - ${cause}`)
    const fields = error instanceof ViewQueryError ? [...error.fields] : []
    return { subject: withFields(fields), viewQuery }
  }
}

/** Throws an InvalidCollection with all errors. Needs a transaction. PocketBase: collection_validate.go */
export async function validateCollection(given: CheckedCollection): Promise<void> {
  const { subject, viewQuery } = await addViewFields(given)
  const { store, next, old } = subject
  const stored = store.catalog.all.find(({ id }) => id === next.id)
  const problems: Record<string, Problem> = {
    id: findIdProblem(subject),
    system: findSystemProblem(subject),
    type: findTypeProblem(subject),
    name: await findNameProblem(subject),
    fields: validateFields({ collection: next, stored, catalog: store.catalog }, old),
    ...Object.fromEntries(RULES.map((name) => [name, findApiRuleProblem(subject, name)])),
    indexes: await validateIndexes(store.db, next, old),
    viewQuery,
    ...findAuthProblem(subject),
  }
  const data = collectProblems({
    ...problems,
    ...(old && findBuiltInProblem(store.catalog.builtIn, next, old)),
  })
  if (data) throw new InvalidCollection(next, data)
}
