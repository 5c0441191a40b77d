import type { Collection } from '../collections/collection.ts'
import { splitModifier } from './field-operand.ts'
import { constantOf, keyword, type Operand, parameter } from './operand.ts'
import { reach, resolvePath } from './path.ts'
import { resolveBodyField } from './request-body.ts'
import { requestScalar, resolveValue } from './request-value.ts'
import type { Context } from './row.ts'
import type { Input, Slot } from './sql.ts'
import { MIXED, NUMBER, TEXT } from './traits.ts'

const valuesOf = ({ request }: Input) => request.auth?.values ?? {}
const authValue =
  (name: string): Slot =>
  (input) =>
    requestScalar(valuesOf(input)[name], undefined)

/** Fields of `@request.auth` that are plain values. Other fields are resolved like those of a relation. */
const AUTH_VALUES = new Map<string, (auth: Collection) => Operand>([
  ['id', () => parameter(({ request }) => request.auth?.id ?? null, TEXT)],
  ['collectionId', ({ id }) => constantOf(id)],
  ['collectionName', ({ name }) => constantOf(name)],
  ['email', () => parameter(authValue('email'), MIXED)],
  ['emailVisibility', () => parameter(authValue('emailVisibility'), NUMBER)],
  ['verified', () => parameter(authValue('verified'), NUMBER)],
])

/** Resolves `@request.…`. Throws a FilterError. Contract 6.3. PocketBase: record_field_resolver.go */
export function resolveRequest(context: Context, path: readonly string[]): Operand {
  const [root = '', key = ''] = path
  if (root === 'auth') return resolveAuth(context, path.slice(1))
  if (root === 'body') {
    const [name, modifier] = splitModifier(key)
    const field = context.catalog.field(context.base.collection, name)
    if (field) return resolveBodyField(context, path, field, modifier)
  }
  return resolveValue(context, path)
}

function resolveAuth(context: Context, path: readonly string[]): Operand {
  const { auth } = context
  if (!auth) return keyword(null)
  const value = path.length === 1 && AUTH_VALUES.get(path[0]!)
  if (value) return value(auth)
  const row = reach(context, auth, { collection: auth, at: null, nullable: false, values: valuesOf })
  return resolvePath(context, path, { row, all: false, lenient: true })
}
