import { ANY_TIME, MACROS } from './date-macros.ts'
import { type Context, writeTable } from './filter-row.ts'
import type { FunctionBuilder } from './function-call.ts'
import { buildGeoDistance } from './geo-distance.ts'
import { orderByInsertion } from './join.ts'
import { makeKnownValue } from './known-value.ts'
import { NUMBER_TRAITS, TEXT_TRAITS } from './literal-traits.ts'
import { makeConstant, makeKeyword, makeParameter, type Operand } from './operand.ts'
import { FilterError, type Literal, type Token } from './parse-filter.ts'
import { resolveRequest } from './request-operand.ts'
import { recordReachedRow, resolvePath } from './resolve-path.ts'
import { buildStrftime } from './strftime.ts'

/** The functions of the filter language. PocketBase: tools/search/token_functions.go. Contract 2.8. */
const FUNCTIONS: ReadonlyMap<string, FunctionBuilder> = new Map([
  ['geoDistance', buildGeoDistance],
  ['strftime', buildStrftime],
])

/**
 * Names that a filter may contain. PocketBase: core/record_field_resolver.go, allowedFields. Percent-encoded
 * characters are ours.
 */
const NAMES =
  /^(\w(?:[\w.:]|%[0-9A-F]{2})*|@request\.(context|method)|@request\.(auth|body|query|headers)\.[\w.:]*\w|@collection\.\w+(:\w+)?\.[\w.:]*\w)$/

const KEYWORDS = new Map([
  ['null', null],
  ['true', 1n],
  ['false', 0n],
])

/** Resolves a token of a filter. Throws a FilterError with PocketBase's message. Contract 2.1. */
export function resolveToken(context: Context, token: Token): Operand {
  if (token.kind === 'literal') return resolveLiteral(context, token)
  if (token.kind === 'function') {
    const make = FUNCTIONS.get(token.text)
    if (!make) throw new FilterError(`unknown function "${token.text}"`)
    return make(token.args, (argument) => resolveToken(context, argument))
  }
  const macro = MACROS.get(token.text)
  if (macro)
    return makeParameter(
      makeKnownValue({ kind: 'now', macro: token.text }),
      typeof macro(ANY_TIME) === 'string' ? TEXT_TRAITS : NUMBER_TRAITS,
    )
  try {
    return resolveName(context, token.text)
  } catch (error) {
    const value = KEYWORDS.get(token.text.toLowerCase())
    if (value !== undefined && error instanceof FilterError) return makeKeyword(value)
    throw error
  }
}

const resolveLiteral = (
  { isClient }: Context,
  { index, value, traits, isFixed }: Literal,
): Operand =>
  isClient && !isFixed
    ? makeParameter(makeKnownValue({ kind: 'literal', index, part: 'value' }), traits, {
        pattern: makeKnownValue({ kind: 'literal', index, part: 'pattern' }),
      })
    : makeConstant(value)

/** Resolves a field's path, `@request.…` or `@collection.…`. */
export function resolveName(context: Context, name: string): Operand {
  if (!NAMES.test(name)) throw new FilterError(`failed to resolve field "${name}"`)
  const path = name.split('.')
  if (path[0] === '@request') return resolveRequest(context, path.slice(1))
  if (path[0] === '@collection') return resolveCollection(context, path[1]!, path.slice(2), name)
  return resolvePath(context, path, { row: context.base, all: false, lenient: false })
}

/** Resolves `@collection.name.…`, a path from any record of a collection. Each alias joins its own record. */
function resolveCollection(
  context: Context,
  source: string,
  path: readonly string[],
  name: string,
): Operand {
  const [nameOrId = ''] = source.split(':')
  const collection = context.catalog.find(nameOrId)
  if (!collection)
    throw new FilterError(`failed to load collection "${source}" from field path "${name}"`)
  const from = () => ({ from: writeTable(collection), ...orderByInsertion(collection) })
  const alias = source.slice(nameOrId.length)
  const at = context.scope.join(`@collection.${collection.id}${alias}`, null, true, from)
  const row = recordReachedRow(context, collection, { collection, at, nullable: true })
  return resolvePath(context, path, { row, all: true, lenient: false })
}
